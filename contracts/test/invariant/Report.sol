// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Collects the invariants that do not hold, so that one check names all of them.
library Report {
    struct Violations {
        string names;
    }

    /// @param sentence The id, a space, and the invariant of contracts/README.md.
    function expect(Violations memory violations, bool holds, string memory sentence) internal pure {
        if (!holds) violations.names = string.concat(violations.names, "; ", sentence);
    }

    function close(Violations memory violations) internal pure {
        if (bytes(violations.names).length != 0) revert(string.concat("violated", violations.names));
    }
}
