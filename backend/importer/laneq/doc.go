// Package laneq reads laneq's databases, of any version, into a queue.
package laneq
