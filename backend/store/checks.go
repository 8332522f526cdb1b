package store

import "hash/crc32"

// SumSize is how many bytes of checks.sums stand for one event.
const SumSize = 4

// Sum is the check of a payload as the table checks holds it: CRC-32C.
func Sum(payload []byte) uint32 { return crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)) }
