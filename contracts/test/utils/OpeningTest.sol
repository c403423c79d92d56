// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IOpening} from "../../src/interfaces/IOpening.sol";
import {IOpeningFactory} from "../../src/interfaces/IOpeningFactory.sol";
import {LaunchSigner} from "./LaunchSigner.sol";

/// @notice An opening of a creator with a key: a buy of 2 to 10 ETH until a week from now.
abstract contract OpeningTest is LaunchSigner {
    uint256 internal constant MINIMUM = 2 ether;
    uint256 internal constant CAP = 10 ether;
    uint40 internal constant DEADLINE = 1_800_000_000 + 7 days;

    IOpeningFactory internal openings;
    IOpening internal opening;
    /// @dev Without a salt.
    ILaunchFactory.LaunchParams internal terms;
    address internal stranger = makeAddr("stranger");

    function setUp() public virtual override {
        super.setUp();
        openings = IOpeningFactory(deploy("OpeningFactory", abi.encode(factory)));
        terms = paramsWith(makeSplitter());
        terms.salt = 0;
        opening = createOpening(MINIMUM, CAP, DEADLINE);
        address[3] memory accounts = [alice, bob, stranger];
        for (uint256 i; i < 3; ++i) {
            vm.deal(accounts[i], 1_000_000 ether);
        }
    }

    function createOpening(uint256 minimum, uint256 cap, uint40 deadline) internal returns (IOpening) {
        vm.prank(creator);
        return IOpening(payable(openings.create(terms, minimum, cap, deadline)));
    }

    function depositFor(address account, uint256 amount) internal {
        vm.prank(account);
        opening.deposit{value: amount}(account);
    }

    /// @dev The creator's authorization of the opening, with a salt.
    function authorizeOpening(uint256 value) internal view returns (Authorization memory authorization) {
        authorization.creator = creator;
        authorization.params = terms;
        authorization.params.salt = keccak256("salt of the launch");
        authorization.buy = ILaunchFactory.InitialBuyParams(address(opening), 1);
        authorization.value = value;
        authorization.deadline = opening.deadline();
    }

    function open(uint256 value) internal returns (uint256 bought) {
        return openWith(authorizeOpening(value));
    }

    function openWith(Authorization memory authorization) internal returns (uint256 bought) {
        bytes memory signature = sign(authorization);
        vm.prank(relayer);
        return opening.open(authorization.params, authorization.value, authorization.buy.minimumOut, signature);
    }

    /// @dev Opens with deposits of 9 and 3 ETH and a buy of 6 ETH, and waits until claims are possible.
    function openWithTwoDeposits() internal returns (uint256 bought) {
        depositFor(alice, 9 ether);
        depositFor(bob, 3 ether);
        bought = open(6 ether);
        skipToNextSecond();
    }

    /// @dev Launches the opening's token without the opening, and sends the bought tokens to the opening.
    function launchDirectly(uint256 value) internal returns (address token, uint256 bought) {
        Authorization memory authorization = authorizeOpening(value);
        if (value == 0) authorization.buy.minimumOut = 0;
        (token,, bought) = launchFor(authorization, sign(authorization));
    }

    function closeWithSalt() internal {
        opening.close(authorizeOpening(0).params);
    }

    function expectNothingToClaim(address account) internal {
        (uint256 tokens, uint256 refund) = opening.claimable(account);
        assertEq(tokens + refund, 0);
        vm.expectRevert(abi.encodeWithSelector(IOpening.Opening_NothingToClaim.selector, account));
        opening.claim(account);
    }

    function skipToNextSecond() internal {
        vm.warp(vm.getBlockTimestamp() + 1);
    }
}
