// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ISplitterFactory} from "../../src/interfaces/ISplitterFactory.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";
import {PlainToken} from "../utils/TestTokens.sol";

/// @notice Reports any balance.
contract BoastfulToken {
    uint256 public balanceOfEveryone;

    function setBalance(uint256 balance) external {
        balanceOfEveryone = balance;
    }

    function balanceOf(address) external view returns (uint256) {
        return balanceOfEveryone;
    }

    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }
}

/// @notice Returns a number for a transfer, and moves nothing.
contract NumberToken {
    uint256 private immutable _RETURNED;

    constructor(uint256 returned) {
        _RETURNED = returned;
    }

    function balanceOf(address) external pure returns (uint256) {
        return 1_000;
    }

    function transfer(address, uint256) external view returns (uint256) {
        return _RETURNED;
    }
}

/// @notice Refuses a transfer with more or less calldata than its two arguments.
contract StrictToken is PlainToken(18) {
    function transfer(address to, uint256 amount) public override returns (bool) {
        require(msg.data.length == 68, "calldata");
        return super.transfer(to, amount);
    }
}

/// @notice A payout with code that releases a payee's part itself.
contract CallingPayout {
    receive() external payable {}

    function release(IFeeSplitter splitter, address[] calldata assets, address payee) external {
        splitter.release(assets, payee);
    }
}

/// @notice Cases at the exact bounds of the splitters' conditions. Mutation testing asked for them.
contract SplitterBoundariesTest is SplitterTest {
    /// @dev The smallest share, the greatest number of payees, and accounts that are not payees beside them.
    function test_ViewsAreExactForTheSmallestShareAndTheMostPayees() external {
        address[] memory payees = new address[](20);
        uint16[] memory shares = new uint16[](20);
        for (uint256 i; i < 20; ++i) {
            (payees[i], shares[i]) = (createPayee(i), i == 0 ? 9_981 : 1);
        }
        IFeeSplitter splitter = IFeeSplitter(deploySplitter(payees, shares));
        PlainToken token = new PlainToken(18);
        token.mint(address(splitter), 10_000);
        vm.deal(address(splitter), 20_000);
        fundWrapped(address(splitter), 30_000);
        assertEq(splitter.claimable(UNWRAPPED, payees[19]), 3);
        assertEq(splitter.claimable(address(weth), payees[19]), 3);
        assertEq(splitter.claimable(NATIVE, payees[19]), 2);
        assertEq(splitter.claimable(address(token), payees[19]), 1);
        splitter.release(one(address(token)), payees[19]);
        assertEq(splitter.claimable(address(token), payees[19]), 0);
        assertEq(splitter.released(address(token), payees[19]), 1);
        assertEq(splitter.released(address(token), payees[18]), 0);
        assertEq(splitter.claimable(address(token), payees[18]), 1, "what others released counts as received");
        assertEq(splitter.totalReleased(address(token)), 1);
        address[3] memory others = [stranger, address(0), address(splitter)];
        for (uint256 i; i < 3; ++i) {
            assertEq(splitter.claimable(address(token), others[i]), 0);
            assertEq(splitter.released(address(token), others[i]), 0);
            assertEq(splitter.shareOf(others[i]), 0);
        }
    }

    function test_ATransferHasNoMoreThanItsArguments() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        StrictToken token = new StrictToken();
        token.mint(address(splitter), 1_000);
        splitter.release(one(address(token)), alice);
        assertEq(token.balanceOf(alice), 700);
    }

    /// @dev A balance whose product with a share exceeds 256 bits fails for this asset, and pays nothing wrong.
    function test_ABalanceThatOverflowsIsNotReleased() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        BoastfulToken token = new BoastfulToken();
        uint256 greatest = type(uint256).max / 7_000;
        bytes memory overflow = abi.encodeWithSignature("Panic(uint256)", 0x11);
        token.setBalance(greatest + 1);
        vm.expectRevert(overflow);
        splitter.claimable(address(token), alice);
        vm.expectRevert(overflow);
        splitter.release(one(address(token)), alice);
        token.setBalance(greatest);
        assertEq(splitter.claimable(address(token), alice), greatest * 7_000 / 10_000);
        fundWrapped(address(splitter), 1_000);
        assertEq(release(address(splitter), address(weth), alice), 700);
    }

    /// @dev Only the payee itself decides that a contract gets native: not the contract that is its payout.
    function test_APayoutWithCodeThatCallsGetsWrappedNative() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        CallingPayout payout = new CallingPayout();
        vm.prank(alice);
        splitter.setPayout(address(payout));
        fundWrapped(address(splitter), 1_000);
        payout.release(splitter, one(UNWRAPPED), alice);
        assertEq(address(payout).balance, 0);
        assertEq(weth.balanceOf(address(payout)), 700);
        fundWrapped(address(splitter), 1_000);
        vm.prank(alice);
        splitter.release(one(UNWRAPPED), alice);
        assertEq(address(payout).balance, 700, "the payee decided");
    }

    /// @dev Code of the length of a delegation or beside it, and the shortest code. No other code can begin with 0xef.
    function test_CodeOfTheLengthOfADelegationCountsAsCode() external {
        bytes[3] memory codes = [new bytes(23), new bytes(24), new bytes(1)];
        for (uint256 i; i < 3; ++i) {
            IFeeSplitter splitter = IFeeSplitter(deployPair(createPayee(i), 7_000, bob));
            vm.etch(createPayee(i), codes[i]);
            fundWrapped(address(splitter), 1_000);
            vm.prank(stranger);
            splitter.release(one(UNWRAPPED), createPayee(i));
            assertEq(createPayee(i).balance, 0);
            assertEq(weth.balanceOf(createPayee(i)), 700);
        }
    }

    function test_AStrangerWhoNamesTheSplitterIsToldThatItIsNoPayee() external {
        IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_NotPayee.selector, stranger));
        vm.prank(stranger);
        splitter.setPayout(address(splitter));
    }

    /// @dev An address that is taken can only come from a chain that breaks CREATE2. Nothing is recorded then.
    function test_ASplitterWhoseAddressIsTakenIsNotRecorded() external {
        (address[] memory payees, uint16[] memory shares) = createEqualShares(2);
        address predicted = splitters.predict(payees, shares, 0);
        vm.etch(predicted, hex"00");
        vm.expectRevert(abi.encodeWithSelector(ISplitterFactory.SplitterFactory_CreationFailed.selector, predicted));
        splitters.create(payees, shares, 0);
        assertFalse(splitters.isSplitter(predicted));
    }

    /// @dev A share that uses every bit is read as that share.
    function test_TheGreatestShareIsNamedInTheSum() external {
        address[] memory payees = two(alice, bob);
        uint16[] memory shares = new uint16[](2);
        (shares[0], shares[1]) = (1, type(uint16).max);
        vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_SharesNot10000.selector, 65_536));
        splitters.create(payees, shares, 0);
    }

    /// @dev Only one is true. A number with the lowest bit set is not.
    function test_ATransferThatReturnsAnotherNumberThanOneFails() external {
        uint256[5] memory numbers = [uint256(0), 2, 3, 257, type(uint256).max];
        for (uint256 i; i < numbers.length; ++i) {
            IFeeSplitter splitter = IFeeSplitter(deployPair(alice, 7_000, bob));
            NumberToken token = new NumberToken(numbers[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IFeeSplitter.FeeSplitter_TransferFailed.selector, address(token), alice, 700)
            );
            splitter.release(one(address(token)), alice);
        }
    }

    /// @dev At every place, also the last one, in both ways of creation.
    function test_AZeroShareIsRefusedAtEveryPlace() external {
        for (uint256 count = 2; count <= 20; count += 9) {
            for (uint256 place; place < count; ++place) {
                address[] memory payees = new address[](count);
                uint16[] memory shares = new uint16[](count);
                for (uint256 i; i < count; ++i) {
                    (payees[i], shares[i]) = (createPayee(i), i == place ? 0 : 1);
                }
                shares[place == 0 ? 1 : 0] = uint16(10_000 - (count - 2));
                vm.expectRevert(abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidShare.selector, place));
                splitters.create(payees, shares, 0);
            }
        }
    }

    function test_InvalidCountsAreNamedExactly() external {
        uint256[2][4] memory counts = [[uint256(0), 0], [uint256(21), 21], [uint256(2), 1], [uint256(2), 3]];
        for (uint256 i; i < 4; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IFeeSplitter.FeeSplitter_InvalidCount.selector, counts[i][0], counts[i][1])
            );
            splitters.create(new address[](counts[i][0]), new uint16[](counts[i][1]), 0);
        }
    }
}
