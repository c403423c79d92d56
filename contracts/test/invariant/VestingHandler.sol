// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {VestingTest} from "../utils/VestingTest.sol";

/// @notice Deposits, releases and time on three vestings. The handler keeps its own account of what must be true.
contract VestingHandler is VestingTest {
    uint256 public constant COUNT = 3;

    /// @dev Everything that arrived, also what a beneficiary sent back.
    uint256[COUNT] public received;
    uint256[COUNT] public sentBack;
    IVesting[COUNT] private _vestings;
    uint40[COUNT] private _cliffs;
    uint40[COUNT] private _ends;
    uint256[COUNT] private _lastVested;
    /// @notice Releases that paid more than the vested part.
    uint256 public earlyReleases;
    /// @notice Times at which a vested part was smaller than before.
    uint256 public decreases;

    constructor() {
        setUp();
        for (uint256 i; i < COUNT; ++i) {
            _cliffs[i] = uint40(block.timestamp + i * 10 days);
            _ends[i] = _cliffs[i] + uint40(30 days * (i + 1)) + 7;
            _vestings[i] = IVesting(vestings.create(beneficiaryOf(i), _cliffs[i], _ends[i], bytes32(i)));
        }
    }

    modifier recordsDecreases() {
        _;
        for (uint256 i; i < COUNT; ++i) {
            uint256 vested = _vestings[i].vested(address(token));
            if (vested < _lastVested[i]) ++decreases;
            _lastVested[i] = vested;
        }
    }

    function deposit(uint256 which, uint96 amount) external recordsDecreases {
        which %= COUNT;
        token.mint(address(_vestings[which]), amount);
        received[which] += amount;
    }

    function release(uint256 which) external recordsDecreases {
        which %= COUNT;
        vm.prank(stranger);
        _vestings[which].release(address(token));
        if (_vestings[which].released(address(token)) > _onTheLine(which)) ++earlyReleases;
    }

    function advanceTime(uint32 duration) external recordsDecreases {
        vm.warp(vm.getBlockTimestamp() + duration % 5 days);
    }

    function sendBack(uint256 which, uint256 amount) external recordsDecreases {
        which %= COUNT;
        address beneficiary = beneficiaryOf(which);
        amount = bound(amount, 0, token.balanceOf(beneficiary));
        vm.prank(beneficiary);
        token.transfer(address(_vestings[which]), amount);
        received[which] += amount;
        sentBack[which] += amount;
    }

    function createAgain(uint256 which) external recordsDecreases {
        which %= COUNT;
        vestings.create(beneficiaryOf(which), _cliffs[which], _ends[which], bytes32(which));
    }

    /* Views for the invariants. */

    function beneficiaryOf(uint256 which) public pure returns (address) {
        return address(uint160(0xbe0e00 + which));
    }

    function parts(uint256 which) external view returns (IVesting, address) {
        return (_vestings[which], address(token));
    }

    /// @dev The part of what was received that is vested now, in the handler's own arithmetic.
    function _onTheLine(uint256 which) private view returns (uint256) {
        uint256 time = vm.getBlockTimestamp();
        if (time < _cliffs[which]) return 0;
        if (time > _ends[which]) time = _ends[which];
        return received[which] * (time - _cliffs[which]) / (_ends[which] - _cliffs[which]);
    }
}
