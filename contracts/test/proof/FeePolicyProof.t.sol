// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";

import {FeePolicy} from "../../src/libraries/FeePolicy.sol";

/// @notice Enumerates the arithmetic of the fee policy on the amounts where its roundings change, for every tier and for
/// shares at their bounds. The arithmetic is unchecked: this shows that no intermediate value wraps.
contract FeePolicyProofTest is Test {
    uint256 private constant MAX = type(uint120).max;

    uint256[] private _amounts;
    uint16[4] private _tiers = [uint16(100), 50, 30, 10];
    uint16[9] private _shares = [uint16(0), 1, 2, 3_333, 4_999, 5_000, 5_001, 9_999, 10_000];

    /// @dev Around zero, around the multiples of every divisor, and around every power of two up to the bound.
    function setUp() external {
        for (uint256 i; i <= 40; ++i) {
            _amounts.push(i);
        }
        uint256[4] memory divisors = [uint256(100), 3_000, 100_000, 1_000_000];
        for (uint256 i; i < 4; ++i) {
            for (uint256 multiple = 1; multiple < 4; ++multiple) {
                _pushAround(divisors[i] * multiple);
            }
        }
        for (uint256 exponent = 8; exponent < 120; exponent += 7) {
            _pushAround(1 << exponent);
        }
        _amounts.push(MAX - 1);
        _amounts.push(MAX);
    }

    function test_EachPartIsTheFlooredShareAndTheySumToTheAmount() external view {
        for (uint256 i; i < _amounts.length; ++i) {
            for (uint256 t; t < 4; ++t) {
                for (uint256 s; s < 9; ++s) {
                    _checkParts(_amounts[i], _tiers[t], _shares[s]);
                }
            }
        }
    }

    /// @dev The locker subtracts the parts of two cumulative amounts without checks. No part decreases, and the parts of
    /// a difference sum to the difference.
    function test_NoPartOfAGreaterAmountIsSmaller() external view {
        for (uint256 s; s < 9; ++s) {
            for (uint256 t; t < 4; ++t) {
                for (uint256 i; i < _amounts.length; ++i) {
                    _checkStep(_amounts[i], _amounts[(i * 7 + 3) % _amounts.length], _tiers[t], _shares[s]);
                    if (i != 0) _checkStep(_amounts[i - 1], _amounts[i], _tiers[t], _shares[s]);
                }
            }
        }
    }

    /// @dev Any order and size of settlements pays the same: the parts of the steps sum to the parts of the whole.
    function test_StepsPayWhatTheWholePays() external pure {
        for (uint256 size = 1; size <= 13; ++size) {
            uint256[3] memory sums;
            uint256 settled;
            for (uint256 i = 1; i <= 500; ++i) {
                uint256 collected = settled + size * (i % 3);
                (uint256 a, uint256 b, uint256 c) = FeePolicy.divide(collected, 30, 3_333);
                (uint256 x, uint256 y, uint256 z) = FeePolicy.divide(settled, 30, 3_333);
                (sums[0], sums[1], sums[2]) = (sums[0] + a - x, sums[1] + b - y, sums[2] + c - z);
                settled = collected;
            }
            (uint256 protocol, uint256 partner, uint256 collaborators) = FeePolicy.divide(settled, 30, 3_333);
            assertEq(abi.encode(sums), abi.encode(protocol, partner, collaborators));
        }
    }

    function _checkParts(uint256 amount, uint16 tier, uint16 share) private pure {
        (uint256 protocol, uint256 partner, uint256 collaborators) = FeePolicy.divide(amount, tier, share);
        uint256 protocolShare = amount * 10 / tier;
        assert(protocol + partner == protocolShare);
        assert(partner == protocolShare * share / 10_000);
        assert(collaborators == amount - protocolShare);
        assert(protocol + partner + collaborators == amount);
        // The floor, stated without a division.
        assert(protocolShare * tier <= amount * 10 && (protocolShare + 1) * tier > amount * 10);
    }

    function _checkStep(uint256 one, uint256 other, uint16 tier, uint16 share) private pure {
        (uint256 settled, uint256 collected) = one < other ? (one, other) : (other, one);
        (uint256 a, uint256 b, uint256 c) = FeePolicy.divide(collected, tier, share);
        (uint256 x, uint256 y, uint256 z) = FeePolicy.divide(settled, tier, share);
        assert(a >= x && b >= y && c >= z);
        assert(a - x + b - y + c - z == collected - settled);
    }

    function _pushAround(uint256 amount) private {
        _amounts.push(amount - 1);
        _amounts.push(amount);
        _amounts.push(amount + 1);
    }
}
