// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Test} from "forge-std/Test.sol";

import {OpeningHandler} from "./OpeningHandler.sol";
import {Report} from "./Report.sol";

/// @notice The invariants I41 to I44 of contracts/README.md.
abstract contract OpeningInvariants is Test {
    using Report for Report.Violations;

    OpeningHandler internal openingHandler;

    function startOpenings() internal {
        openingHandler = new OpeningHandler();
    }

    function checkOpenings(Report.Violations memory violations) internal view {
        for (uint256 i; i < openingHandler.count(); ++i) {
            _checkOpening(violations, i);
        }
    }

    /// @param openTokens Tokens that are neither claimed nor claimable; `openNative` likewise.
    struct Sums {
        bool areBooked;
        bool isPartOnly;
        uint256 openTokens;
        uint256 openNative;
    }

    function _checkOpening(Report.Violations memory violations, uint256 which) private view {
        OpeningHandler.Expected memory expected = openingHandler.expectedOf(which);
        Sums memory sums = Sums({
            areBooked: expected.opening.total() == expected.total,
            isPartOnly: true,
            openTokens: expected.received - expected.tokensBooked,
            openNative: expected.total - expected.spent - expected.nativeBooked
        });
        uint256 actors = openingHandler.ACTORS();
        for (uint256 actor; actor < actors; ++actor) {
            _addActor(sums, expected, which, actor);
        }
        violations.expect(sums.areBooked, "I41 the deposits of an opening are what its accounts deposited");
        uint256 tokenBalance =
            expected.token == address(0) ? 0 : IERC20(expected.token).balanceOf(address(expected.opening));
        violations.expect(
            tokenBalance == expected.received + expected.late - expected.tokensPaid
                && address(expected.opening).balance
                    == expected.forced + expected.total - expected.spent - expected.nativePaid,
            "I42 everything that leaves an opening is the signed buy, or paid for a depositor"
        );
        violations.expect(sums.isPartOnly, "I43 no account has more than its part of the tokens and of the native");
        bool hasClaims = openingHandler.hasEnded(which) && expected.total != 0;
        violations.expect(
            !hasClaims || (sums.openTokens < actors && sums.openNative < actors),
            "I44 after the end, all but less than a unit for each account is claimed or claimable"
        );
    }

    function _addActor(Sums memory sums, OpeningHandler.Expected memory expected, uint256 which, uint256 actor)
        private
        view
    {
        address account = openingHandler.actorOf(actor);
        uint256 deposit = openingHandler.deposits(which, actor);
        if (expected.opening.depositOf(account) != openingHandler.unpaid(which, actor)) sums.areBooked = false;
        (uint256 tokens, uint256 refund) = expected.opening.claimable(account);
        uint256 tokenPart = openingHandler.tokensOf(which, actor) + tokens;
        if (tokenPart * expected.total > expected.received * deposit) sums.isPartOnly = false;
        uint256 nativePart = openingHandler.refundOf(which, actor) + refund;
        if (nativePart * expected.total > (expected.total - expected.spent) * deposit) sums.isPartOnly = false;
        sums.openTokens -= tokens < sums.openTokens ? tokens : sums.openTokens;
        sums.openNative -= refund < sums.openNative ? refund : sums.openNative;
    }
}
