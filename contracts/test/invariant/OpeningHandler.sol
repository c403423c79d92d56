// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {IOpening} from "../../src/interfaces/IOpening.sol";
import {OpeningTest} from "../utils/OpeningTest.sol";

/// @notice Deposits, launches, claims and time on up to three openings with the same launch parameters. The handler keeps its
/// own account of what must be true.
contract OpeningHandler is OpeningTest {
    uint256 public constant ACTORS = 4;
    uint256 private constant MAX_OPENINGS = 3;
    uint256 private constant MAX_LAUNCHES = 3;

    /// @param received Tokens that arrived before the end; `late`: after it.
    /// @param forced Native that is no deposit.
    /// @param nativePaid Native that receivers of claims actually received; `nativeBooked`: as the claims returned it.
    struct Expected {
        IOpening opening;
        address token;
        uint256 total;
        uint256 spent;
        uint256 received;
        uint256 late;
        uint256 forced;
        uint256 nativePaid;
        uint256 nativeBooked;
        uint256 tokensPaid;
        uint256 tokensBooked;
    }

    Expected[] private _expected;
    /// @notice By opening and actor.
    mapping(uint256 => mapping(uint256 => uint256)) public deposits;
    /// @notice The deposits without those of accounts that claimed after the end.
    mapping(uint256 => mapping(uint256 => uint256)) public unpaid;
    mapping(uint256 => mapping(uint256 => uint256)) public tokensOf;
    mapping(uint256 => mapping(uint256 => uint256)) public refundOf;
    /// @dev Tokens that arrived at an opening before its token is known.
    mapping(uint256 which => mapping(address token => uint256)) private _arrived;
    bytes32[] private _launchedSalts;
    uint256 private _nextLaunchSalt;

    constructor() {
        setUp();
        _add(opening);
    }

    function createAnother(uint64 minimum, uint64 cap, uint32 duration) external {
        if (_expected.length == MAX_OPENINGS) return;
        // A buy of some wei yields no tokens.
        uint256 least = bound(minimum, 0.001 ether, 5 ether);
        uint40 deadline = uint40(vm.getBlockTimestamp() + bound(duration, 1, 30 days));
        IOpening created = createOpening(least, bound(cap, least, 20 ether), deadline);
        for (uint256 i; i < _expected.length; ++i) {
            if (_expected[i].opening == created) return;
        }
        _add(created);
    }

    function deposit(uint256 which, uint256 actor, uint64 amount, bool byAnother) external {
        which %= _expected.length;
        actor %= ACTORS;
        Expected storage expected = _expected[which];
        if (!_isCollecting(expected.opening)) return;
        uint256 value = bound(amount, 1, 10 ether);
        address payer = byAnother ? stranger : actorOf(actor);
        vm.deal(payer, value);
        vm.prank(payer);
        expected.opening.deposit{value: value}(actorOf(actor));
        expected.total += value;
        deposits[which][actor] += value;
        unpaid[which][actor] += value;
    }

    function openOne(uint256 which, uint256 value) external {
        which %= _expected.length;
        Expected storage expected = _expected[which];
        opening = expected.opening;
        uint256 minimum = opening.minimum();
        if (!_isCollecting(opening) || expected.total < minimum || _launchedSalts.length == MAX_LAUNCHES) return;
        uint256 cap = opening.cap();
        value = bound(value, minimum, cap < expected.total ? cap : expected.total);
        Authorization memory authorization = _authorizeNext(value);
        uint256 bought = openWith(authorization);
        (expected.token,) = factory.predict(creator, authorization.params);
        (expected.spent, expected.received) = (value, bought);
    }

    /// @dev Submits the signature of an opening to the launch factory.
    function submitDirectly(uint256 which) external {
        which %= _expected.length;
        opening = _expected[which].opening;
        if (_launchedSalts.length == MAX_LAUNCHES || vm.getBlockTimestamp() > opening.deadline()) return;
        Authorization memory authorization = _authorizeNext(0.1 ether);
        (address token,, uint256 bought) = launchFor(authorization, sign(authorization));
        _arrived[which][token] += bought;
    }

    function close(uint256 which, uint256 launch) external {
        which %= _expected.length;
        Expected storage expected = _expected[which];
        opening = expected.opening;
        if (expected.token != address(0) || _launchedSalts.length == 0) return;
        Authorization memory authorization = authorizeOpening(0);
        authorization.params.salt = _launchedSalts[launch % _launchedSalts.length];
        opening.close(authorization.params);
        (expected.token,) = factory.predict(creator, authorization.params);
        expected.received = _arrived[which][expected.token];
    }

    function claim(uint256 which, uint256 actor, bool toAnother) external {
        which %= _expected.length;
        actor %= ACTORS;
        Expected storage expected = _expected[which];
        opening = expected.opening;
        address account = actorOf(actor);
        (uint256 tokens, uint256 refund) = opening.claimable(account);
        if (tokens + refund == 0) return;
        address receiver = toAnother ? stranger : account;
        uint256 nativeBefore = receiver.balance;
        uint256 tokensBefore = expected.token == address(0) ? 0 : balance(expected.token, receiver);
        vm.prank(toAnother ? account : relayer);
        if (toAnother) (tokens, refund) = opening.claimTo(receiver);
        else (tokens, refund) = opening.claim(account);
        expected.nativePaid += receiver.balance - nativeBefore;
        expected.nativeBooked += refund;
        if (expected.token != address(0)) expected.tokensPaid += balance(expected.token, receiver) - tokensBefore;
        expected.tokensBooked += tokens;
        tokensOf[which][actor] += tokens;
        refundOf[which][actor] += refund;
        if (opening.closedAt() != 0) unpaid[which][actor] = 0;
    }

    /// @dev A holder of the token of any opening sends tokens to an opening, before or after its end.
    function donate(uint256 which, uint256 source, uint256 actor, uint256 amount) external {
        which %= _expected.length;
        Expected storage expected = _expected[which];
        address token = _expected[source % _expected.length].token;
        if (token == address(0)) return;
        address holder = actorOf(actor % ACTORS);
        amount = bound(amount, 0, balance(token, holder));
        vm.prank(holder);
        IERC20(token).transfer(address(expected.opening), amount);
        if (expected.token == token) expected.late += amount;
        else _arrived[which][token] += amount;
    }

    function forceNative(uint256 which, uint64 amount) external {
        Expected storage expected = _expected[which % _expected.length];
        vm.deal(address(expected.opening), address(expected.opening).balance + amount);
        expected.forced += amount;
    }

    function advanceTime(uint32 duration) external {
        vm.warp(vm.getBlockTimestamp() + duration % 1 days + 1);
    }

    /* Views for the invariants. */

    function count() external view returns (uint256) {
        return _expected.length;
    }

    function expectedOf(uint256 which) external view returns (Expected memory) {
        return _expected[which];
    }

    function actorOf(uint256 actor) public pure returns (address) {
        return address(uint160(0xac7000 + actor));
    }

    function hasEnded(uint256 which) external view returns (bool) {
        IOpening it = _expected[which].opening;
        uint256 closedAt = it.closedAt();
        return closedAt == 0 ? block.timestamp > it.deadline() : block.timestamp > closedAt;
    }

    function _isCollecting(IOpening it) private view returns (bool) {
        return it.closedAt() == 0 && vm.getBlockTimestamp() <= it.deadline();
    }

    /// @dev With a salt that no launch has.
    function _authorizeNext(uint256 value) private returns (Authorization memory authorization) {
        authorization = authorizeOpening(value);
        authorization.params.salt = bytes32(++_nextLaunchSalt);
        _launchedSalts.push(authorization.params.salt);
    }

    function _add(IOpening created) private {
        _expected.push();
        _expected[_expected.length - 1].opening = created;
    }
}
