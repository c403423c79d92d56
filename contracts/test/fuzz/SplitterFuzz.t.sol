// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

contract SplitterFuzzTest is SlipwayTest {
    address private constant UNWRAPPED = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    function testFuzz_BothWaysCreateTheSameCode(uint256 seed, uint8 count, bytes32 salt) external {
        (address[] memory payees, uint16[] memory shares) = _random(seed, bound(count, 1, 20));
        address predicted = splitters.predict(payees, shares, salt);
        address byFactory = splitters.create(payees, shares, salt);
        address byTransaction = deploySplitter(payees, shares);
        assertEq(byFactory, predicted);
        assertEq(byFactory.code, byTransaction.code);
        assertTrue(splitters.isSplitter(byFactory));
        assertFalse(splitters.isSplitter(byTransaction));
        (address[] memory readPayees, uint16[] memory readShares) = IFeeSplitter(byTransaction).allocations();
        assertEq(abi.encode(readPayees, readShares), abi.encode(payees, shares));
    }

    /// @dev A launch accepts a code exactly if it is the proxy with 1 to 20 valid entries, by a plain restatement.
    function testFuzz_ALaunchAcceptsExactlyTheCodeOfAClone(
        uint256 seed,
        uint8 count,
        uint16 offset,
        uint8 changed,
        uint8 cut
    ) external {
        (address[] memory payees, uint16[] memory shares) = _random(seed, bound(count, 1, 20));
        bytes memory code = deploySplitter(payees, shares).code;
        // A quarter of the codes is shorter, a quarter has another byte, and the others are valid.
        bytes memory variant = new bytes(cut % 4 == 0 ? code.length - cut % code.length : code.length);
        for (uint256 i; i < variant.length; ++i) {
            variant[i] = code[i];
        }
        if (cut % 4 == 1) variant[offset % variant.length] = bytes1(changed);
        address splitter = address(uint160(uint256(keccak256(variant))));
        vm.etch(splitter, variant);
        ILaunchFactory.LaunchParams memory params = paramsWith(splitter);
        bool isValid = _isValid(variant, splitter);
        vm.prank(creator);
        (bool success,) = address(factory).call(abi.encodeCall(factory.launch, (params, noBuy())));
        assertEq(success, isValid);
    }

    /// @dev Native or wrapped, the payee gets the same amount, once.
    function testFuzz_UnwrappingPaysTheSameAmount(uint96 first, uint96 second, uint16 share, bool thenWrapped) external {
        address[] memory payees = new address[](2);
        uint16[] memory shares = new uint16[](2);
        (payees[0], payees[1]) = (alice, bob);
        shares[0] = uint16(bound(share, 1, 9_999));
        shares[1] = 10_000 - shares[0];
        address splitter = deploySplitter(payees, shares);
        fundNative(splitter, first);
        IFeeSplitter(splitter).release(one(UNWRAPPED), alice);
        assertEq(alice.balance, uint256(first) * shares[0] / 10_000);
        fundNative(splitter, second);
        IFeeSplitter(splitter).release(one(thenWrapped ? address(weth) : UNWRAPPED), alice);
        uint256 received = uint256(first) + second;
        assertEq(alice.balance + balance(address(weth), alice), received * shares[0] / 10_000);
        IFeeSplitter(splitter).release(one(UNWRAPPED), bob);
        assertEq(bob.balance, received * shares[1] / 10_000);
        assertEq(splitter.balance, 0);
        assertLe(balance(address(weth), splitter), 1);
    }

    function _isValid(bytes memory code, address splitter) private view returns (bool) {
        if (code.length < 67 || code.length > 485 || (code.length - 45) % 22 != 0) return false;
        bytes memory proxy = bytes.concat(
            hex"363d3d373d3d3d363d73",
            bytes20(splitters.IMPLEMENTATION()),
            hex"5af43d82803e903d91602b57fd5bf3"
        );
        for (uint256 i; i < 45; ++i) {
            if (code[i] != proxy[i]) return false;
        }
        uint256 sum;
        uint256 count = (code.length - 45) / 22;
        for (uint256 i; i < count; ++i) {
            address payee = _payeeAt(code, i);
            uint256 share = uint256(uint8(code[65 + 22 * i])) * 256 + uint8(code[66 + 22 * i]);
            if (payee == address(0) || payee == splitter || share == 0) return false;
            for (uint256 j; j < i; ++j) {
                if (_payeeAt(code, j) == payee) return false;
            }
            sum += share;
        }
        return sum == 10_000;
    }

    function _payeeAt(bytes memory code, uint256 index) private pure returns (address) {
        uint256 payee;
        for (uint256 i; i < 20; ++i) {
            payee = payee * 256 + uint8(code[45 + 22 * index + i]);
        }
        return address(uint160(payee));
    }

    function _random(uint256 seed, uint256 count)
        private
        pure
        returns (address[] memory payees, uint16[] memory shares)
    {
        payees = new address[](count);
        shares = new uint16[](count);
        uint256 remainder = 10_000;
        for (uint256 i; i < count; ++i) {
            payees[i] = address(uint160(uint256(keccak256(abi.encode(seed, "payee", i)))));
            uint256 maxShare = remainder - (count - 1 - i);
            shares[i] = uint16(i + 1 == count ? remainder : 1 + uint256(keccak256(abi.encode(seed, i))) % maxShare);
            remainder -= shares[i];
        }
    }
}
