// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/tokens/ERC20.sol";

/// @notice An ERC-20 with permit that anyone can mint.
contract PlainToken is ERC20 {
    uint8 private immutable _DECIMALS;

    constructor(uint8 decimals_) {
        _DECIMALS = decimals_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        _burn(from, amount);
    }

    function name() public pure override returns (string memory) {
        return "Plain";
    }

    function symbol() public pure override returns (string memory) {
        return "PLAIN";
    }

    function decimals() public view override returns (uint8) {
        return _DECIMALS;
    }

    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}

/// @notice Makes a configured call when it receives native, once.
contract ReenteringPayee {
    address private _target;
    bytes private _data;

    receive() external payable {
        if (_target == address(0)) return;
        address target = _target;
        _target = address(0);
        (bool success, bytes memory reason) = target.call(_data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    function arm(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }
}

contract RevertingPayee {
    receive() external payable {
        revert("no");
    }
}

contract GasBurningPayee {
    receive() external payable {
        while (true) {}
    }
}

/// @notice Returns a megabyte of data. A caller that copies return data pays for it.
contract ReturnBombPayee {
    receive() external payable {
        assembly {
            return(0, 1000000)
        }
    }
}
