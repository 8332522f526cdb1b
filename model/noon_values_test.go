package model_test

import "binnacle/model"

// noon is the present in these tests.
const noon = model.Time(1781956800000000) // 2026-06-20T12:00:00Z
