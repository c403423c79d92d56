// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {SplitterClone} from "../../src/libraries/SplitterClone.sol";
import {SplitterTest} from "../utils/SplitterTest.sol";

/// @notice Enumerates the reading of entries from code, and the check of whole entry lists against a plain restatement.
contract SplitterCloneProofTest is SplitterTest {
    address private constant IMPLEMENTATION = 0x1111111111111111111111111111111111111111;

    function pack(address[] calldata payees, uint16[] calldata shares) external pure returns (bytes memory) {
        return SplitterClone.pack(payees, shares);
    }

    function validate(bytes calldata entries, address splitter) external pure {
        SplitterClone.validate(entries, splitter);
    }

    function test_EveryShareIsReadBack() external pure {
        for (uint256 share; share <= type(uint16).max; ++share) {
            bytes memory entries = abi.encodePacked(address(type(uint160).max), uint16(share), address(0), ~uint16(share));
            (address first, uint16 firstShare) = SplitterClone.entryAt(entries, 0);
            (address second, uint16 secondShare) = SplitterClone.entryAt(entries, 1);
            assert(first == address(type(uint160).max) && firstShare == share);
            assert(second == address(0) && secondShare == ~uint16(share));
        }
    }

    function test_EveryBitOfAPayeeIsReadBack() external pure {
        for (uint256 bit; bit < 160; ++bit) {
            address payee = address(uint160(1 << bit));
            bytes memory entries = abi.encodePacked(payee, uint16(1), address(~uint160(payee)), uint16(2));
            (uint256 index, uint16 share) = SplitterClone.find(entries, payee);
            assert(index == 0 && share == 1);
            (index, share) = SplitterClone.find(entries, address(~uint160(payee)));
            assert(index == 1 && share == 2);
            (, share) = SplitterClone.find(entries, address(uint160(payee) ^ 1));
            if (bit != 0) assert(share == 0);
        }
    }

    function test_PackingIsThePlainConcatenationForEveryCount() external view {
        for (uint256 count = 1; count <= 20; ++count) {
            (address[] memory payees, uint16[] memory shares) = createEqualShares(count);
            bytes memory expected;
            for (uint256 i; i < count; ++i) {
                expected = bytes.concat(expected, bytes20(payees[i]), bytes2(shares[i]));
            }
            assertEq(this.pack(payees, shares), expected);
            assertEq(SplitterClone.runtimeCode(IMPLEMENTATION, expected).length, 45 + 22 * count);
        }
    }

    /// @dev Every code size up to two more than the greatest clone: only 45 + 22 n with n from 1 to 20 is read.
    function test_OnlyTheSizesOfClonesAreRead() external {
        address account = makeAddr("account");
        (address[] memory payees, uint16[] memory shares) = createEqualShares(20);
        bytes memory longest = SplitterClone.runtimeCode(IMPLEMENTATION, this.pack(payees, shares));
        longest = bytes.concat(longest, new bytes(24));
        uint256 clones;
        for (uint256 size = 1; size <= longest.length; ++size) {
            bytes memory code = new bytes(size);
            for (uint256 i; i < size; ++i) {
                code[i] = longest[i];
            }
            vm.etch(account, code);
            (bool isClone, bytes memory entries) = SplitterClone.read(account, IMPLEMENTATION);
            bool expected = size > 45 && (size - 45) % 22 == 0 && size <= 485;
            assertEq(isClone, expected);
            assertEq(entries.length, expected ? size - 45 : 0);
            if (isClone) ++clones;
        }
        assertEq(clones, 20);
    }

    /// @dev Every list of up to three entries over four payees (zero, the splitter itself, two others) and five shares.
    function test_AListIsValidExactlyIfAPlainCheckAcceptsIt() external view {
        uint256 accepted;
        for (uint256 count = 1; count <= 3; ++count) {
            for (uint256 code; code < 20 ** count; ++code) {
                if (_check(count, code)) ++accepted;
            }
        }
        // One payee: two. Two payees of the two, in two orders, with 1 + 9,999 or 5,000 + 5,000 in each order.
        assertEq(accepted, 2 + 2 * 3);
    }

    /// @dev The vector in the documentation for other implementations.
    function test_TheDocumentedBytesAreThoseOfTheLibrary() external view {
        address[] memory payees = two(
            0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa, 0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB
        );
        uint16[] memory shares = new uint16[](2);
        (shares[0], shares[1]) = (7_000, 3_000);
        bytes memory entries = this.pack(payees, shares);
        assertEq(
            SplitterClone.runtimeCode(IMPLEMENTATION, entries),
            hex"363d3d373d3d3d363d7311111111111111111111111111111111111111115af43d82803e903d91602b57fd5bf3aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1b58bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb0bb8"
        );
        assertEq(
            keccak256(SplitterClone.creationCode(IMPLEMENTATION, entries)),
            0xac66239a65cab39f2277bd82496fd35af2080c54fd9e4fc03735f4b93548e773
        );
        bytes32 codeHash = keccak256(SplitterClone.factoryCreationCode(IMPLEMENTATION, entries));
        assertEq(codeHash, 0x6fe25d550641299fab246a5809c620746dde745feabcfd166be28cc74864f8ff);
        assertEq(
            vm.computeCreate2Address(
                keccak256("0190a5c0-1111-7000-8000-000000000001"), codeHash, 0x2222222222222222222222222222222222222222
            ),
            0xBd9B5dB449acADc10aaD9d0998B87BF08d4e6145
        );
    }

    /// @param code Selects payees and shares, as digits to the base 20.
    function _check(uint256 count, uint256 code) private view returns (bool isValid) {
        address splitter = address(0x51);
        address[4] memory payees = [address(0), splitter, address(0xa), address(0xb)];
        uint16[5] memory shares = [uint16(0), 1, 5_000, 9_999, 10_000];
        bytes memory entries;
        uint256 sum;
        isValid = true;
        address[3] memory seen;
        for (uint256 i; i < count; ++i) {
            (address payee, uint16 share) = (payees[code % 4], shares[code / 4 % 5]);
            code /= 20;
            entries = abi.encodePacked(entries, payee, share);
            if (payee == address(0) || payee == splitter || share == 0) isValid = false;
            for (uint256 j; j < i; ++j) {
                if (seen[j] == payee) isValid = false;
            }
            seen[i] = payee;
            sum += share;
        }
        isValid = isValid && sum == 10_000;
        (bool success,) = address(this).staticcall(abi.encodeCall(this.validate, (entries, splitter)));
        assertEq(success, isValid);
    }
}
