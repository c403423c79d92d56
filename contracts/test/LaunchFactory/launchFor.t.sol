// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LaunchedEvent} from "../utils/LaunchedEvent.sol";
import {LaunchSigner, OwnedWallet} from "../utils/LaunchSigner.sol";

interface IEIP712Domain {
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory);
}

contract LaunchFactoryLaunchForTest is LaunchSigner {
    function test_WhenTheAttachedValueDiffersFromTheSignedOne() external {
        Authorization memory authorization = authorize(1 ether);
        bytes memory signature = sign(authorization);
        uint256[4] memory values = [uint256(0), 1 ether - 1, 1 ether + 1, 2 ether];
        for (uint256 i; i < 4; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_WrongValue.selector, values[i], 1 ether)
            );
            launchForWithValue(authorization, signature, values[i]);
        }
    }

    function test_WhenTheDeadlinePassed() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        vm.warp(authorization.deadline + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_Expired.selector, authorization.deadline, authorization.deadline + 1
            )
        );
        launchFor(authorization, signature);
        vm.warp(authorization.deadline);
        launchFor(authorization, signature);
    }

    function test_WhenAnotherKeySigns() external {
        Authorization memory authorization = authorize(0);
        (, uint256 otherKey) = makeAddrAndKey("other");
        expectInvalidSignature(authorization, signWith(otherKey, authorization));
    }

    function test_WhenTheSignatureIsMalformed() external {
        Authorization memory authorization = authorize(0);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digestOf(authorization));
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes32 highS = bytes32(order - uint256(s));
        expectInvalidSignature(authorization, abi.encodePacked(r, highS, v == 27 ? uint8(28) : uint8(27)));
        expectInvalidSignature(authorization, abi.encodePacked(r, s, v - 27));
        expectInvalidSignature(authorization, abi.encodePacked(r, s, v, uint8(0)));
        expectInvalidSignature(authorization, abi.encodePacked(r, s));
        expectInvalidSignature(authorization, abi.encodePacked(r, bytes32(uint256(s) | (uint256(v - 27) << 255))));
        expectInvalidSignature(authorization, "");
        launchFor(authorization, abi.encodePacked(r, s, v));
    }

    function test_WhenTheCreatorIsZeroAndTheSignatureRecoversNothing() external {
        Authorization memory authorization = authorize(0);
        authorization.creator = address(0);
        bytes memory signature = abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(29));
        expectInvalidSignature(authorization, signature);
    }

    function test_WhenTheCreatorSigned() external {
        Authorization memory authorization = authorize(1 ether);
        (address token, address pool) = factory.predict(creator, authorization.params);
        uint256 before = relayer.balance;
        vm.recordLogs();
        (address launched, address launchedPool, uint256 amountOut) = launchFor(authorization, sign(authorization));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(launched, token, "the creator's address");
        assertEq(launchedPool, pool);
        assertEq(logs[LaunchedEvent.find(logs, address(factory))].topics[2], bytes32(uint256(uint160(creator))));
        assertEq(balance(token, alice), amountOut);
        assertGt(amountOut, 0);
        assertEq(relayer.balance, before - 1 ether, "the caller pays the value");
        assertEq(creator.balance, 0);
    }

    function test_WhenTheCreatorSignedWithoutABuy() external {
        Authorization memory authorization = authorize(0);
        (address token,, uint256 amountOut) = launchFor(authorization, sign(authorization));
        assertGt(token.code.length, 0);
        assertEq(amountOut, 0);
    }

    function test_WhenThePoolDoesNotTakeTheWholeValue() external {
        uint256 tooMuch = 1e43;
        Authorization memory authorization = authorize(tooMuch);
        vm.deal(relayer, tooMuch);
        (, address pool,) = launchFor(authorization, sign(authorization));
        assertEq(creator.balance, tooMuch - balance(address(weth), pool), "refunded to the creator");
        assertEq(relayer.balance, 0);
    }

    function test_WhenTheSignatureIsUsedTwice() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        (address token,,) = launchFor(authorization, signature);
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
        launchFor(authorization, signature);
    }

    function test_WhenTheCreatorHasLaunchedTheSameItself() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        vm.prank(creator);
        (address token,,) = factory.launch(authorization.params, noBuy());
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
        launchFor(authorization, signature);
    }

    function test_WhenTheCodeOfTheCreatorAcceptsTheSignature() external {
        Authorization memory authorization = authorize(0);
        authorization.creator = address(new OwnedWallet(creator));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digestOf(authorization));
        (address predicted,) = factory.predict(authorization.creator, authorization.params);
        (address token,,) = launchFor(authorization, abi.encode(r, s, v));
        assertEq(token, predicted);
    }

    function test_WhenTheCodeOfTheCreatorRejectsTheSignature() external {
        Authorization memory authorization = authorize(0);
        authorization.creator = address(new OwnedWallet(creator));
        (, uint256 otherKey) = makeAddrAndKey("other");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(otherKey, digestOf(authorization));
        expectInvalidSignature(authorization, abi.encode(r, s, v));
        expectInvalidSignature(authorization, "");
        // A contract without ERC-1271.
        authorization.creator = address(trader);
        expectInvalidSignature(authorization, sign(authorization));
    }

    function test_WhenTheCreatorHasAKeyAndCode() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        // Code that rejects every signature: the key decides.
        vm.etch(creator, address(trader).code);
        launchFor(authorization, signature);
    }

    function test_WhenTheCreatorHasCancelled() external {
        Authorization memory authorization = authorize(0);
        bytes memory earlier = sign(authorization);
        vm.expectEmit(address(factory));
        emit ILaunchFactory.LaunchesCancelled(creator, 1);
        vm.prank(creator);
        factory.cancel();
        assertEq(factory.epochOf(creator), 1);
        expectInvalidSignature(authorization, earlier);
        launchFor(authorization, sign(authorization));
    }

    function test_WhenTheCreatorHasCancelledTwice() external {
        Authorization memory authorization = authorize(0);
        bytes[2] memory earlier;
        for (uint256 i; i < 2; ++i) {
            earlier[i] = sign(authorization);
            vm.expectEmit(address(factory));
            emit ILaunchFactory.LaunchesCancelled(creator, i + 1);
            vm.prank(creator);
            factory.cancel();
        }
        assertEq(factory.epochOf(creator), 2);
        expectInvalidSignature(authorization, earlier[0]);
        expectInvalidSignature(authorization, earlier[1]);
    }

    function test_WhenAnotherAccountHasCancelled() external {
        Authorization memory authorization = authorize(0);
        bytes memory signature = sign(authorization);
        vm.prank(relayer);
        factory.cancel();
        assertEq(factory.epochOf(creator), 0);
        launchFor(authorization, signature);
    }

    function test_WhenACreatorWithCodeHasCancelled() external {
        Authorization memory authorization = authorize(0);
        authorization.creator = address(new OwnedWallet(creator));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digestOf(authorization));
        vm.prank(authorization.creator);
        factory.cancel();
        expectInvalidSignature(authorization, abi.encode(r, s, v));
        (v, r, s) = vm.sign(creatorKey, digestOf(authorization));
        launchFor(authorization, abi.encode(r, s, v));
    }

    function test_WhenTheSplitterIsNotOneOfTheFactory() external {
        address[3] memory others = [deploySplitter(), alice, splitters.IMPLEMENTATION()];
        for (uint256 i; i < 3; ++i) {
            Authorization memory authorization = authorize(0);
            authorization.params.splitter = others[i];
            bytes memory signature = sign(authorization);
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, others[i])
            );
            launchFor(authorization, signature);
        }
    }

    function test_WhenTheFactoryMakesTheSplitterAfterTheSignature() external {
        address[] memory payees = one(alice);
        uint16[] memory shares = new uint16[](1);
        shares[0] = 10_000;
        Authorization memory authorization = authorize(0);
        authorization.params.splitter = splitters.predict(payees, shares, "later");
        bytes memory signature = sign(authorization);
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_InvalidSplitter.selector, authorization.params.splitter
            )
        );
        launchFor(authorization, signature);
        splitters.create(payees, shares, "later");
        launchFor(authorization, signature);
    }

    function test_WhenTheDigestIsRead() external {
        Authorization memory authorization = authorize(1 ether);
        vm.prank(creator);
        factory.cancel();
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Slipway Launch Factory"),
                keccak256("1"),
                block.chainid,
                address(factory)
            )
        );
        ILaunchFactory.LaunchParams memory params = authorization.params;
        bytes32 paramsHash = keccak256(
            abi.encode(
                keccak256(
                    "LaunchParams(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps)"
                ),
                keccak256(bytes(params.name)),
                keccak256(bytes(params.symbol)),
                keccak256(bytes(params.contractURI)),
                params.splitter,
                params.salt,
                params.partner,
                params.feeBps
            )
        );
        bytes32 buyHash = keccak256(
            abi.encode(
                keccak256("InitialBuyParams(address recipient,uint256 minimumOut)"),
                authorization.buy.recipient,
                authorization.buy.minimumOut
            )
        );
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "Launch(address creator,LaunchParams params,InitialBuyParams buy,uint256 value,uint256 deadline,uint256 epoch)InitialBuyParams(address recipient,uint256 minimumOut)LaunchParams(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps)"
                ),
                authorization.creator,
                paramsHash,
                buyHash,
                authorization.value,
                authorization.deadline,
                uint256(1)
            )
        );
        assertEq(digestOf(authorization), keccak256(abi.encodePacked(hex"1901", separator, structHash)));
    }

    function test_WhenTheDomainIsRead() external view {
        (, string memory name, string memory version, uint256 chainId, address verifyingContract,,) =
            IEIP712Domain(address(factory)).eip712Domain();
        assertEq(name, "Slipway Launch Factory");
        assertEq(version, "1");
        assertEq(chainId, block.chainid);
        assertEq(verifyingContract, address(factory));
    }
}
