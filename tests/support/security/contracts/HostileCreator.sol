// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The code of a creator whose answer about signatures (ERC-1271) is not to be trusted.
contract HostileCreator {
    uint8 public constant ACCEPTS_ALL = 0;
    uint8 public constant REFUSES = 1;
    uint8 public constant REVERTS = 2;
    uint8 public constant BURNS = 3;
    uint8 public constant RETURN_BOMB = 4;
    uint8 public constant SHORT_ANSWER = 5;
    uint8 public constant DIRTY_ANSWER = 6;

    uint8 private immutable _KIND;

    constructor(uint8 kind) {
        _KIND = kind;
    }

    receive() external payable {}

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (_KIND == REFUSES) return 0xffffffff;
        if (_KIND == REVERTS) revert("no");
        if (_KIND == BURNS) while (true) {}
        if (_KIND == RETURN_BOMB) {
            assembly {
                return(0, 1000000)
            }
        }
        if (_KIND == SHORT_ANSWER) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        }
        if (_KIND == DIRTY_ANSWER) {
            assembly {
                mstore(0, or(shl(224, 0x1626ba7e), 1))
                return(0, 32)
            }
        }
        return 0x1626ba7e;
    }
}
