"""One formula in the notation of the formula beside it: what a sign means is told by the other one."""
