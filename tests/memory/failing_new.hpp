// operator new of this program, counted, and with the n-th call from now on failing as it does without memory.
#pragma once

namespace ritz::test {

void fail_new(long n);  // n >= 1; 0: none
long new_calls();       // so far
long live_news();       // not yet deleted

}  // namespace ritz::test
