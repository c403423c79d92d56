// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {LaunchSigner, OwnedWallet} from "../utils/LaunchSigner.sol";

/// @notice A creator whose signature check or receipt of native calls the factory.
contract CallingCreator {
    address private immutable _FACTORY;
    bytes private _onCheck;
    bytes private _onReceive;

    constructor(address factory) {
        _FACTORY = factory;
    }

    receive() external payable {
        if (_onReceive.length == 0) return;
        (bool success, bytes memory reason) = _FACTORY.call(_onReceive);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    function arm(bytes calldata onCheck, bytes calldata onReceive) external {
        (_onCheck, _onReceive) = (onCheck, onReceive);
    }

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        if (_onCheck.length != 0) {
            (bool success,) = _FACTORY.call(_onCheck);
            require(success, "re-entry failed");
        }
        return 0x1626ba7e;
    }
}

/// @notice Answers every call with the same bytes.
contract Answering {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback() external {
        bytes memory answer = _answer;
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}

contract SignatureAttacksTest is LaunchSigner {
    function test_C8_23_EveryChangedArgumentInvalidatesTheSignature() external {
        Authorization memory original = authorize(1 ether);
        bytes memory signature = sign(original);
        for (uint256 field; field < 12; ++field) {
            Authorization memory changed = abi.decode(abi.encode(original), (Authorization));
            if (field == 0) changed.params.name = "Other";
            if (field == 1) changed.params.symbol = "OTHER";
            if (field == 2) changed.params.contractURI = "ipfs://other";
            if (field == 3) changed.params.splitter = deploySplitter();
            if (field == 4) changed.params.salt = bytes32(uint256(original.params.salt) + 1);
            if (field == 5) changed.params.partner = relayer;
            if (field == 6) changed.buy.recipient = relayer;
            if (field == 7) changed.buy.minimumOut = 0;
            // Drops the initial buy.
            if (field == 8) changed.value = 0;
            if (field == 9) changed.value += 1;
            if (field == 10) changed.deadline += 1;
            if (field == 11) changed.creator = relayer;
            expectInvalidSignature(changed, signature);
        }
        launchFor(original, signature);
    }

    /// @dev Characters moved from one text to the next one: the texts are hashed one by one.
    function test_C8_23_TextsCannotBeShifted() external {
        Authorization memory original = authorize(0);
        (original.params.name, original.params.symbol) = ("Slip", "SLIP");
        bytes memory signature = sign(original);
        (original.params.name, original.params.symbol) = ("SlipS", "LIP");
        expectInvalidSignature(original, signature);
    }

    function test_C8_23_ReplayOnAnotherChainOrFactoryIsRefused() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        vm.chainId(block.chainid + 1);
        expectInvalidSignature(authorization, signature);
        vm.chainId(block.chainid - 1);
        ILaunchFactory first = factory;
        factory = deployFactory();
        expectInvalidSignature(authorization, signature);
        factory = first;
        launchFor(authorization, signature);
    }

    /// @dev The owner's signature for one wallet is not valid for another wallet of the same owner.
    function test_C8_23_ReplayForAnotherWalletOfTheSameOwnerIsRefused() external {
        Authorization memory authorization = authorize(0);
        address other = address(new OwnedWallet(creator));
        authorization.creator = address(new OwnedWallet(creator));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digestOf(authorization));
        bytes memory signature = abi.encode(r, s, v);
        address first = authorization.creator;
        authorization.creator = other;
        expectInvalidSignature(authorization, signature);
        authorization.creator = creator;
        expectInvalidSignature(authorization, signature);
        authorization.creator = first;
        launchFor(authorization, signature);
    }

    /// @dev Who copies the transaction pays the value, and the launch is the creator's.
    function test_C8_23_CopiedTransactionLaunchesTheSameForTheCreator() external {
        Authorization memory authorization = authorize(1 ether);
        bytes memory signature = sign(authorization);
        (address predicted,) = factory.predict(creator, authorization.params);
        address attacker = makeAddr("attacker");
        vm.deal(attacker, 1 ether);
        vm.prank(attacker);
        (address token,, uint256 amountOut) = factory.launchFor{value: 1 ether}(
            creator, authorization.params, authorization.buy, 1 ether, authorization.deadline, signature
        );
        assertEq(token, predicted);
        assertEq(balance(token, alice), amountOut, "the buy goes to the signed recipient");
        assertEq(balance(token, attacker), 0);
        assertEq(attacker.balance, 0);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
        launchFor(authorization, signature);
        assertEq(relayer.balance, 1_000 ether, "the relayer keeps its value");
    }

    /// @dev The attacker launches the same parameters itself: at another address.
    function test_C8_23_CopiedParametersOfAnotherCreatorTakeAnotherAddress() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        (address predicted,) = factory.predict(creator, authorization.params);
        vm.prank(makeAddr("attacker"));
        (address copied,,) = factory.launch(authorization.params, noBuy());
        assertNotEq(copied, predicted);
        (address token,,) = launchFor(authorization, signature);
        assertEq(token, predicted);
    }

    /// @dev The signature check is a static call: it can change nothing.
    function test_C8_23_SignatureCheckCannotReEnter() external {
        CallingCreator caller = new CallingCreator(address(factory));
        Authorization memory authorization = authorize(0);
        authorization.creator = address(caller);
        caller.arm(abi.encodeCall(factory.launch, (paramsFor(true), noBuy())), "");
        expectInvalidSignature(authorization, "");
        caller.arm("", "");
        launchFor(authorization, "");
    }

    function test_C8_23_RefundCannotReEnter() external {
        CallingCreator caller = new CallingCreator(address(factory));
        Authorization memory authorization = authorize(1e43);
        authorization.creator = address(caller);
        vm.deal(relayer, 2e43);
        bytes[2] memory calls = [
            abi.encodeCall(factory.launch, (paramsFor(true), noBuy())),
            abi.encodeCall(
                factory.launchFor, (address(caller), paramsFor(true), noBuy(), 0, block.timestamp, "")
            )
        ];
        for (uint256 i; i < 2; ++i) {
            caller.arm("", calls[i]);
            vm.expectPartialRevert(ILaunchFactory.LaunchFactory_RefundFailed.selector);
            launchFor(authorization, "");
        }
        caller.arm("", "");
        (, address pool,) = launchFor(authorization, "");
        assertEq(address(caller).balance, 1e43 - balance(address(weth), pool));
    }

    /// @dev Only exactly one word with the magic value is an acceptance.
    function test_C8_23_OtherAnswersOfTheCreatorsCodeAreRefused() external {
        Authorization memory authorization = authorize(0);
        bytes[6] memory answers = [
            bytes(""),
            abi.encodePacked(bytes4(0x1626ba7e)),
            abi.encode(uint256(1)),
            abi.encode(bytes4(0x1626ba7f)),
            abi.encode(uint256(0x1626ba7e)),
            abi.encode(type(uint256).max)
        ];
        for (uint256 i; i < answers.length; ++i) {
            authorization.creator = address(new Answering(answers[i]));
            expectInvalidSignature(authorization, sign(authorization));
        }
        authorization.creator = address(new Answering(abi.encode(bytes4(0x1626ba7e))));
        launchFor(authorization, "");
    }

    /// @dev A wallet that does not exist yet, with a signature in the form of ERC-6492, and precompiles as creators.
    function test_C8_23_CreatorsWithoutCodeNeedTheirKey() external {
        Authorization memory authorization = authorize(0);
        authorization.creator = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 5);
        bytes memory wrapped = bytes.concat(
            abi.encode(address(this), hex"00", sign(authorization)),
            hex"6492649264926492649264926492649264926492649264926492649264926492"
        );
        expectInvalidSignature(authorization, wrapped);
        for (uint160 i = 1; i <= 10; ++i) {
            authorization.creator = address(i);
            expectInvalidSignature(authorization, sign(authorization));
            expectInvalidSignature(authorization, "");
        }
    }

    /// @dev A creator that delegates (EIP-7702) to code that accepts everything: its code decides, as its owner chose.
    function test_C8_23_DelegatedCreatorsSignByKeyOrByTheirCode() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        address[2] memory codes = [address(new OwnedWallet(relayer)), address(new Answering(""))];
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            vm.etch(creator, bytes.concat(hex"ef0100", bytes20(codes[i])));
            launchFor(authorization, signature);
            vm.revertToState(snapshot);
        }
        vm.etch(creator, bytes.concat(hex"ef0100", bytes20(codes[1])));
        expectInvalidSignature(authorization, "");
    }

    function testFuzz_C8_23_AnyOtherSignatureIsRefused(bytes32 r, bytes32 s, uint8 v, bytes calldata other) external {
        Authorization memory authorization = authorize(0);
        (uint8 goodV, bytes32 goodR, bytes32 goodS) = vm.sign(creatorKey, digestOf(authorization));
        vm.assume(r != goodR || s != goodS || v != goodV);
        expectInvalidSignature(authorization, abi.encodePacked(r, s, v));
        vm.assume(keccak256(other) != keccak256(abi.encodePacked(goodR, goodS, goodV)));
        expectInvalidSignature(authorization, other);
    }

    /// @dev Nobody takes a part of the protocol share: not the creator, not the relayer, not a partner without an entry.
    function test_C8_21_OnlyTheRegistryGivesAPartnerAShare() external {
        for (uint256 order; order < 2; ++order) {
            ILaunchFactory.LaunchParams memory params = paramsFor(order == 0);
            params.partner = creator;
            grind(params, creator, order == 0);
            Launch memory launched = launch(params);
            makeFees(launched);
            locker.collect(launched.token);
            locker.settle(launched.token, bothAssets(launched.token));
            assertEq(balance(address(weth), creator), 0);
            IFeeLocker.Ledger memory ledger = locker.ledgerOf(launched.token, address(weth));
            assertEq(ledger.protocolTotal, ledger.collected / 10, "the whole tenth is the protocol's");
        }
    }

    /// @dev A change of the registry, or of the treasury, never touches a launch that exists.
    function testFuzz_C8_21_RegistryChangesDoNotTouchALaunch(uint16 atLaunch, uint16 later, bool tokenIsToken0) external {
        atLaunch = uint16(bound(atLaunch, 0, 5_000));
        Launch memory launched = launchWithPartner(tokenIsToken0, atLaunch);
        makeFees(launched);
        locker.collect(launched.token);
        registerPartner(partner, uint16(bound(later, 0, 5_000)));
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.prank(bob);
        locker.acceptTreasury();
        locker.settle(launched.token, bothAssets(launched.token));
        uint256 share = locker.ledgerOf(launched.token, address(weth)).collected / 10;
        assertEq(balance(address(weth), partner), share * atLaunch / 10_000);
        assertEq(balance(address(weth), bob), share - share * atLaunch / 10_000);
    }
}
