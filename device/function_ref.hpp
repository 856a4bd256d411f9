// A callable that a function takes and calls before it returns, by reference: std::function_ref of C++26. It is not
// kept: whoever keeps a callable takes a std::function.
//
//   void each(FunctionRef<void(int part)> visit);      each([&](int part) { ... });
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace ritz {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>)
      FunctionRef(Callable&& callable)  // NOLINT: implicit, as arguments are
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* there, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(there))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  void* callable_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace ritz
