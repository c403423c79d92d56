// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice Enumerates every order of six receipts and releases on the released bytecode. After each step no payee has more
/// than its share of what came in, the sum never exceeds it, and no one waits for more than a unit.
contract EntitlementProofTest is SplitterTest {
    uint256 private constant DEPTH = 6;

    PlainToken private _token;
    IFeeSplitter private _splitter;
    address[] private _payees;
    uint16[] private _shares;

    function setUp() public override {
        super.setUp();
        _token = new PlainToken(18);
    }

    function test_NoOrderOfReceiptsAndReleasesPaysMoreThanAShare() external {
        uint16[3][4] memory vectors = [
            [uint16(3_333), 3_333, 3_334],
            [uint16(1), 1, 9_998],
            [uint16(9_999), 1, 0],
            [uint16(5_001), 4_999, 0]
        ];
        uint256 states;
        for (uint256 i; i < 4; ++i) {
            delete _payees;
            delete _shares;
            for (uint256 j; j < 3; ++j) {
                if (vectors[i][j] == 0) continue;
                _payees.push(createPayee(10 * i + j));
                _shares.push(vectors[i][j]);
            }
            _splitter = IFeeSplitter(this.createByFactory(_payees, _shares));
            states += _explore(0, 0);
        }
        // Two receipts and a release for each payee at each step: 5^6 or 4^6 orders and their prefixes.
        assertEq(states, 2 * 19_531 + 2 * 5_461);
    }

    /// @dev Takes one step and explores from there. Reverts with the number of states, which undoes the step.
    function step(uint256 choice, uint256 depth, uint256 received) external {
        // A unit, and an amount that leaves a remainder for every share.
        uint256 receipt = choice == 0 ? 1 : choice == 1 ? 7 : 0;
        if (receipt != 0) _token.mint(address(_splitter), receipt);
        else _splitter.release(one(address(_token)), _payees[choice - 2]);
        uint256 states = _explore(depth, received + receipt);
        assembly ("memory-safe") {
            mstore(0, states)
            revert(0, 32)
        }
    }

    function _explore(uint256 depth, uint256 received) private returns (uint256 states) {
        _check(received);
        states = 1;
        if (depth == DEPTH) return states;
        for (uint256 choice; choice < 2 + _payees.length; ++choice) {
            (, bytes memory result) = address(this).call(abi.encodeCall(this.step, (choice, depth + 1, received)));
            // A violation reverts with other data.
            assertEq(result.length, 32, "a step failed");
            states += abi.decode(result, (uint256));
        }
    }

    function _check(uint256 received) private view {
        uint256 sum;
        uint256 claims;
        for (uint256 i; i < _payees.length; ++i) {
            uint256 paid = _token.balanceOf(_payees[i]);
            uint256 share = received * _shares[i] / 10_000;
            uint256 claim = _splitter.claimable(address(_token), _payees[i]);
            assert(paid <= share);
            assert(paid + claim == share);
            assert(_splitter.released(address(_token), _payees[i]) == paid);
            sum += paid;
            claims += claim;
        }
        assert(sum <= received && _splitter.totalReleased(address(_token)) == sum);
        assert(_token.balanceOf(address(_splitter)) == received - sum);
        assert(received - sum - claims < _payees.length);
    }
}
