// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

contract OpeningFuzzTest is OpeningTest {
    uint256 private constant COUNT = 6;

    /// @dev Each part is the exact quotient, rounded down, compared without division: part * total <= whole * deposit <
    /// (part + 1) * total. No account gets more than its part, in whatever order and however often accounts claim.
    function testFuzz_PartsAreExactQuotients(uint96[COUNT] memory amounts, uint256 value, uint256 order) external {
        uint256 total;
        for (uint256 i; i < COUNT; ++i) {
            amounts[i] = uint96(bound(amounts[i], 1, 1_000 ether));
            total += amounts[i];
            vm.deal(_account(i), amounts[i]);
            depositFor(_account(i), amounts[i]);
        }
        vm.assume(total >= MINIMUM);
        value = bound(value, MINIMUM, total < CAP ? total : CAP);
        uint256 bought = open(value);
        skipToNextSecond();
        for (uint256 i; i < COUNT; ++i) {
            uint256 index = (i + order % COUNT) % COUNT;
            (uint256 tokens, uint256 refund) = opening.claim(_account(index));
            _assertQuotient(tokens, total, bought, amounts[index]);
            _assertQuotient(refund, total, total - value, amounts[index]);
            expectNothingToClaim(_account(index));
        }
        assertLt(balance(opening.token(), address(opening)), COUNT);
        assertLt(address(opening).balance, COUNT);
    }

    /// @dev Everything that arrived before the end is shared. Tokens that arrive between claims change no part.
    function testFuzz_LateTokensAreNotShared(uint96[COUNT] memory amounts, uint64[COUNT] memory arrivals) external {
        uint256 total;
        for (uint256 i; i < COUNT; ++i) {
            amounts[i] = uint96(bound(amounts[i], 1, 1_000 ether));
            total += amounts[i];
            vm.deal(_account(i), amounts[i]);
            depositFor(_account(i), amounts[i]);
        }
        (address token, uint256 arrived) = launchDirectly(1 ether);
        arrived += arrivals[0];
        deal(token, address(opening), arrived);
        closeWithSalt();
        skipToNextSecond();
        uint256 late;
        for (uint256 i; i < COUNT; ++i) {
            if (i != 0) {
                late += arrivals[i];
                deal(token, address(opening), balance(token, address(opening)) + arrivals[i]);
            }
            opening.claim(_account(i));
            _assertQuotient(balance(token, _account(i)), total, arrived, amounts[i]);
            assertEq(_account(i).balance, amounts[i]);
            expectNothingToClaim(_account(i));
        }
        assertLt(balance(token, address(opening)) - late, COUNT);
    }

    /// @dev A value outside of minimum, cap and deposits never opens; every value inside does.
    function testFuzz_TheValueIsWithinTheBounds(uint96 deposit, uint96 value) external {
        deposit = uint96(bound(deposit, 1, 2 * CAP));
        value = uint96(bound(value, 0, 2 * CAP + 1));
        depositFor(alice, deposit);
        Authorization memory authorization = authorizeOpening(value);
        bytes memory signature = sign(authorization);
        bool isInRange = value >= MINIMUM && value <= CAP && value <= deposit;
        if (!isInRange) vm.expectPartialRevert(IOpening.Opening_ValueOutOfRange.selector);
        opening.open(authorization.params, value, 1, signature);
        assertEq(opening.isOpened(), isInRange);
        assertEq(address(opening).balance, isInRange ? deposit - value : deposit);
    }

    function _account(uint256 index) private pure returns (address) {
        return address(uint160(0xacc0 + index));
    }

    function _assertQuotient(uint256 part, uint256 total, uint256 whole, uint256 deposit) private pure {
        assertLe(part * total, whole * deposit);
        assertGt((part + 1) * total, whole * deposit);
    }
}
