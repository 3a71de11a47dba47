/* What was built; the values are written by tools/build_info.sh. */
#ifndef COP_BUILD_INFO_H
#define COP_BUILD_INFO_H

extern const char cop_build_commit[]; /* "unknown" without a git checkout */
extern const char cop_build_data[]; /* claims and experiments, from the program's folder */
extern const char cop_build_options[]; /* of the compiler */

#endif
