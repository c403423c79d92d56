// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../interfaces/ILaunchFactory.sol";

/// @title LaunchTerms
/// @notice The launch parameters that an opening commits to.
library LaunchTerms {
    /// @notice The hash of all parameters except the salt, which determines only the token's address.
    function hashOf(ILaunchFactory.LaunchParams calldata params) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                params.name, params.symbol, params.contractURI, params.splitter, params.partner, params.feeBps
            )
        );
    }
}
