/* No congestion control: the reference against which every mechanism is measured. */
#include "base/opt.h"
#include "cc/cc_all.h"

static const cop_opt none_opts[] = {{0}};

const cop_cc_ops cop_cc_none = {.name = "none",
                                .summary = "no congestion control",
                                .source = "the reference of all papers",
                                .opts = none_opts};
