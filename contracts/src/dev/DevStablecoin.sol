// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/tokens/ERC20.sol";

/// @title DevStablecoin
/// @notice A test stablecoin for the local development chain. It has no value: do not deploy it to a real chain.
contract DevStablecoin is ERC20 {
    /// @param supply Minted to the deployer, in base units (6 decimals).
    constructor(uint256 supply) {
        _mint(msg.sender, supply);
    }

    function name() public pure override returns (string memory) {
        return "Slipway Dev Dollar";
    }

    function symbol() public pure override returns (string memory) {
        return "USDG";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
