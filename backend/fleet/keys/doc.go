// Package keys says whose word counts: the registry of public keys on trunk, the
// key that signs here, and the verdict on a summary that another machine wrote.
//
// A summary is hostile until it passed every check of verify.go, in that order.
// A registry that can't be read vouches for nobody, and one that vanished, or
// stands on a trunk that was rewound, is an alarm until a person accepts it.
package keys
