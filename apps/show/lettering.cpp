#include "apps/show/lettering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ritz {
namespace {

// Roman simplex, a stroke for each line, of the Hershey Fonts. These were originally created by Dr. A. V. Hershey while
// working at the U. S. National Bureau of Standards. The format of the font data was originally created by James Hurt,
// Cognition, Inc., 900 Technology Park Drive, Billerica, MA 01821, (mit-eddie!ci-dandelion!hurt).
//
// The letters from space to ~. Two characters are a point, each a coordinate counted from 'R', y downwards; the first
// two are the left and the right edge, " R" lifts the pen.
constexpr std::array<std::string_view, 95> letters{
    // clang-format off
    "JZ", "MWRFRT RRYQZR[SZRY", "JZNFNM RVFVM", "H]SBLb RYBRb RLOZO RKUYU",
    "H\\PBP_ RTBT_ RYIWGTFPFMGKIKKLMMNOOUQWRXSYUYXWZT[P[MZKX",
    "F^[FI[ RNFPHPJOLMMKMIKIIJGLFNFPGSHVHYG[F RWTUUTWTYV[X[ZZ[X[VYTWT",
    "E_\\O\\N[MZMYNXPVUTXRZP[L[JZIYHWHUISJRQNRMSKSIRGPFNGMIMKNNPQUXWZY[[[\\Z\\Y", "MWRHQGRFSGSIRKQL",
    "KYVBTDRGPKOPOTPYR]T`Vb", "KYNBPDRGTKUPUTTYR]P`Nb", "JZRLRX RMOWU RWOMU", "E_RIR[ RIR[R", "NVSWRXQWRVSWSYQ[",
    "E_IR[R", "NVRVQWRXSWRV", "G][BIb", "H\\QFNGLJKOKRLWNZQ[S[VZXWYRYOXJVGSFQF", "H\\NJPISFS[",
    "H\\LKLJMHNGPFTFVGWHXJXLWNUQK[Y[", "H\\MFXFRNUNWOXPYSYUXXVZS[P[MZLYKW", "H\\UFKTZT RUFU[",
    "H\\WFMFLOMNPMSMVNXPYSYUXXVZS[P[MZLYKW", "H\\XIWGTFRFOGMJLOLTMXOZR[S[VZXXYUYTXQVOSNRNOOMQLT", "H\\YFO[ RKFYF",
    "H\\PFMGLILKMMONSOVPXRYTYWXYWZT[P[MZLYKWKTLRNPQOUNWMXKXIWGTFPF",
    "H\\XMWPURRSQSNRLPKMKLLINGQFRFUGWIXMXRWWUZR[P[MZLX", "NVROQPRQSPRO RRVQWRXSWRV", "NVROQPRQSPRO RSWRXQWRVSWSYQ[",
    "F^ZIJRZ[", "E_IO[O RIU[U", "F^JIZRJ[", "I[LKLJMHNGPFTFVGWHXJXLWNVORQRT RRYQZR[SZRY",
    "E`WNVLTKQKOLNMMPMSNUPVSVUUVS RQKOMNPNSOUPV RWKVSVUXVZV\\T]Q]O\\L[JYHWGTFQFNGLHJJILHOHRIUJWLYNZQ[T[W"
    "ZYYZX RXKWSWUXV", "I[RFJ[ RRFZ[ RMTWT", "G\\KFK[ RKFTFWGXHYJYLXNWOTP RKPTPWQXRYTYWXYWZT[K[",
    "H]ZKYIWGUFQFOGMILKKNKSLVMXOZQ[U[WZYXZV", "G\\KFK[ RKFRFUGWIXKYNYSXVWXUZR[K[", "H[LFL[ RLFYF RLPTP RL[Y[",
    "HZLFL[ RLFYF RLPTP", "H]ZKYIWGUFQFOGMILKKNKSLVMXOZQ[U[WZYXZVZS RUSZS", "G]KFK[ RYFY[ RKPYP", "NVRFR[",
    "JZVFVVUYTZR[P[NZMYLVLT", "G\\KFK[ RYFKT RPOY[", "HYLFL[ RL[X[", "F^JFJ[ RJFR[ RZFR[ RZFZ[", "G]KFK[ RKFY[ RYFY[",
    "G]PFNGLIKKJNJSKVLXNZP[T[VZXXYVZSZNYKXIVGTFPF", "G\\KFK[ RKFTFWGXHYJYMXOWPTQKQ",
    "G]PFNGLIKKJNJSKVLXNZP[T[VZXXYVZSZNYKXIVGTFPF RSWY]", "G\\KFK[ RKFTFWGXHYJYLXNWOTPKP RRPY[",
    "H\\YIWGTFPFMGKIKKLMMNOOUQWRXSYUYXWZT[P[MZKX", "JZRFR[ RKFYF", "G]KFKULXNZQ[S[VZXXYUYF", "I[JFR[ RZFR[",
    "F^HFM[ RRFM[ RRFW[ R\\FW[", "H\\KFY[ RYFK[", "I[JFRPR[ RZFRP", "H\\YFK[ RKFYF RK[Y[", "KYOBOb RPBPb ROBVB RObVb",
    "KYKFY^", "KYTBTb RUBUb RNBUB RNbUb", "JZRDJR RRDZR", "I[Ib[b", "NVSKQMQORPSORNQO",
    "I\\XMX[ RXPVNTMQMONMPLSLUMXOZQ[T[VZXX", "H[LFL[ RLPNNPMSMUNWPXSXUWXUZS[P[NZLX", "I[XPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "I\\XFX[ RXPVNTMQMONMPLSLUMXOZQ[T[VZXX", "I[LSXSXQWOVNTMQMONMPLSLUMXOZQ[T[VZXX", "MYWFUFSGRJR[ ROMVM",
    "I\\XMX]W`VaTbQbOa RXPVNTMQMONMPLSLUMXOZQ[T[VZXX", "I\\MFM[ RMQPNRMUMWNXQX[", "NVQFRGSFREQF RRMR[",
    "MWRFSGTFSERF RSMS^RaPbNb", "IZMFM[ RWMMW RQSX[", "NVRFR[", "CaGMG[ RGQJNLMOMQNRQR[ RRQUNWMZM\\N]Q][",
    "I\\MMM[ RMQPNRMUMWNXQX[", "I\\QMONMPLSLUMXOZQ[T[VZXXYUYSXPVNTMQM", "H[LMLb RLPNNPMSMUNWPXSXUWXUZS[P[NZLX",
    "I\\XMXb RXPVNTMQMONMPLSLUMXOZQ[T[VZXX", "KXOMO[ ROSPPRNTMWM", "J[XPWNTMQMNNMPNRPSUTWUXWXXWZT[Q[NZMX",
    "MYRFRWSZU[W[ ROMVM", "I\\MMMWNZP[S[UZXW RXMX[", "JZLMR[ RXMR[", "G]JMN[ RRMN[ RRMV[ RZMV[", "J[MMX[ RXMM[",
    "JZLMR[ RXMR[P_NaLbKb", "J[XMM[ RMMXM RM[X[",
    "KYTBRCQDPFPHQJRKSMSOQQ RRCQEQGRISJTLTNSPORSTTVTXSZR[Q]Q_Ra RQSSUSWRYQZP\\P^Q`RaTb", "NVRBRb",
    "KYPBRCSDTFTHSJRKQMQOSQ RRCSESGRIQJPLPNQPURQTPVPXQZR[S]S_Ra RSSQUQWRYSZT\\T^S`RaPb",
    "F^IUISJPLONOPPTSVTXTZS[Q RISJQLPNPPQTTVUXUZT[Q[O"
    // clang-format on
};

constexpr double capital = 21, baseline = 9;  // height of a capital, and where it stands

int coordinate(char c) { return c - 'R'; }

// Letters that the font lacks are asterisks, one for each of UTF-8.
std::string_view letter_of(char c) {
  return letters[c >= ' ' && c <= '~' ? static_cast<std::size_t>(c - ' ') : std::size_t{'*' - ' '}];
}
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }  // with the letter before

double distance(double x, double y, const std::array<double, 4>& stroke) {
  const auto& [x0, y0, x1, y1] = stroke;
  const double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
  const double part = square > 0 ? std::clamp(((x - x0) * dx + (y - y0) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(x - x0 - part * dx, y - y0 - part * dy);
}

void draw_stroke(Image& image, const std::array<double, 4>& stroke, double thickness) {
  const auto& [x0, y0, x1, y1] = stroke;
  const double reach = thickness / 2 + 0.5;
  const auto first = [&](double a, double b) {
    return std::max(0, static_cast<int>(std::floor(std::min(a, b) - reach)));
  };
  const auto last = [&](double a, double b, int size) {
    return std::min(size - 1, static_cast<int>(std::ceil(std::max(a, b) + reach)));
  };
  for (int y = first(y0, y1); y <= last(y0, y1, image.height); ++y)
    for (int x = first(x0, x1); x <= last(x0, x1, image.width); ++x) {
      const double covered = std::clamp(reach - distance(x, y, stroke), 0.0, 1.0);
      const auto light = static_cast<std::uint8_t>(std::lround(255 - 225 * covered));  // nearly black
      for (int c = 0; c < 3; ++c) image.pixel(x, y)[c] = std::min(image.pixel(x, y)[c], light);
    }
}

}  // namespace

void draw_line(Image& image, const std::array<double, 2>& from, const std::array<double, 2>& to, double thickness) {
  draw_stroke(image, {from[0], from[1], to[0], to[1]}, thickness);
}

double text_width(const std::string& text, double height) {
  double width = 0;
  for (const char c : text)
    if (!goes_on(c)) width += coordinate(letter_of(c)[1]) - coordinate(letter_of(c)[0]);
  return width * height / capital;
}

void write_text(Image& image, double x, double y, const std::string& text, double height) {
  const double scale = height / capital;
  for (const char c : text) {
    if (goes_on(c)) continue;
    const std::string_view letter = letter_of(c);
    const double left = x - scale * coordinate(letter[0]);
    for (std::size_t k = 4; k + 1 < letter.size(); k += 2) {
      const std::string_view from = letter.substr(k - 2, 2), to = letter.substr(k, 2);
      if (from == " R" || to == " R") continue;
      draw_stroke(image,
                  {left + scale * coordinate(from[0]), y + scale * (coordinate(from[1]) - baseline),
                   left + scale * coordinate(to[0]), y + scale * (coordinate(to[1]) - baseline)},
                  std::max(1.0, height / 8));
    }
    x += scale * (coordinate(letter[1]) - coordinate(letter[0]));
  }
}

}  // namespace ritz
