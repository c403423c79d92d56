// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The code of a wallet that receives native badly; which way stands in the code's last byte.
contract HostileWallet {
    uint8 public constant REVERTS = 0;
    uint8 public constant BURNS = 1;
    uint8 public constant RETURN_BOMB = 2;
    uint8 public constant REENTERS = 3;

    uint8 private immutable _KIND;
    address private immutable _STATION;

    constructor(uint8 kind, address station) {
        _KIND = kind;
        _STATION = station;
    }

    receive() external payable {
        if (_KIND == REVERTS) revert("no");
        if (_KIND == BURNS) while (true) {}
        if (_KIND == RETURN_BOMB) {
            assembly {
                return(0, 1000000)
            }
        }
        // Any call back into topUp; its arguments never matter.
        (bool success,) = _STATION.call(hex"00000000");
        require(success, "reentry refused");
    }
}
