/*
 * Writes ICU's confusable mappings in the format of Unicode's confusables.txt (UTS #39): one line for each code point
 * that NFD does not decompose and whose skeleton is not itself. Debian packages Unicode's data files without
 * confusables.txt; ICU, which is built from it, is the source that is packaged.
 *
 *   apt-get install libicu-dev
 *   cc -Wall tools/confusables/icuSkeletons.c $(pkg-config --cflags --libs icu-i18n icu-uc) -o /tmp/icuSkeletons
 *   /tmp/icuSkeletons > /tmp/confusables.txt
 *   node tools/generateConfusables.ts /tmp/confusables.txt
 */
#include <stdio.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/uversion.h>

enum { capacity = 64 };

int main(void) {
  UErrorCode status = U_ZERO_ERROR;
  USpoofChecker *checker = uspoof_open(&status);
  const UNormalizer2 *nfd = unorm2_getNFDInstance(&status);
  if (U_FAILURE(status)) {
    fprintf(stderr, "%s\n", u_errorName(status));
    return 1;
  }
  printf("# Version: %s (ICU %s)\n", U_UNICODE_VERSION, U_ICU_VERSION);
  for (UChar32 codePoint = 0; codePoint <= 0x10FFFF; codePoint++) {
    UChar source[2], target[capacity];
    if (U_IS_SURROGATE(codePoint)) continue;
    if (unorm2_getDecomposition(nfd, codePoint, target, capacity, &status) >= 0) continue;
    int32_t sourceLength = 0;
    U16_APPEND_UNSAFE(source, sourceLength, codePoint);
    int32_t targetLength = uspoof_getSkeleton(checker, 0, source, sourceLength, target, capacity, &status);
    if (U_FAILURE(status)) {
      fprintf(stderr, "U+%04X: %s\n", (unsigned)codePoint, u_errorName(status));
      return 1;
    }
    if (targetLength == sourceLength && u_memcmp(source, target, sourceLength) == 0) continue;
    printf("%04X ;\t", (unsigned)codePoint);
    for (int32_t i = 0; i < targetLength;) {
      UChar32 mapped;
      U16_NEXT(target, i, targetLength, mapped);
      printf("%04X ", (unsigned)mapped);
    }
    printf(";\tMA\n");
  }
  uspoof_close(checker);
  return 0;
}
