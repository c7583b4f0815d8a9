#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
int hark_json_version(void);
#ifdef __cplusplus
}
#endif
