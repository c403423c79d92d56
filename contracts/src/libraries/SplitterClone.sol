// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeeSplitter} from "../interfaces/IFeeSplitter.sol";

/// @title SplitterClone
/// @notice The code of a splitter: a minimal proxy (ERC-1167) of the splitter implementation, followed by its entries.
/// @dev Runtime code, 45 + 22 n bytes for n payees:
///
///   offset  length  content
///        0      10  363d3d373d3d3d363d73
///       10      20  the implementation
///       30      15  5af43d82803e903d91602b57fd5bf3
///       45    22 n  the entries: payee (20), share in basis points (2, big-endian)
library SplitterClone {
    uint256 internal constant MAX_PAYEES = 20;
    uint256 internal constant TOTAL_SHARES = 10_000;

    /// @dev Bytes of the proxy, in front of the entries.
    uint256 internal constant PROXY_LENGTH = 45;

    /// @dev Bytes of one entry.
    uint256 internal constant ENTRY_LENGTH = 22;

    /// @dev The proxy in front of and behind the implementation.
    bytes10 private constant PROXY_HEAD = 0x363d3d373d3d3d363d73;
    bytes15 private constant PROXY_TAIL = 0x5af43d82803e903d91602b57fd5bf3;

    /// @dev The code of a creation transaction, in front of the runtime code: 121 bytes. It emits
    /// `SplitterCreated(address[] payees, uint16[] shares)` with the entries and returns the runtime code. It writes no
    /// storage and makes no call. Offsets are those of the event's data in memory: payees at 0x40, shares at
    /// S = 0x60 + 32 n. The loop copies the entries from the code, from the last one to the first one.
    ///
    ///   6016 60a6 38 03 04                    n = (codesize - 166) / 22
    ///   80 6040 52  6040 5f 52                stores n and the offset of the payees
    ///   80 6005 1b  80 6060 01                32 n, S
    ///   80 6020 52  82 81 52                  stores the offset of the shares, and n
    ///   90 38 90                              k = 32 n, c = codesize, S
    ///   5b 90 6016 90 03                      loop (offset 33): c -= 22
    ///   6002 81 6014 01 84 84 01 601e 01 39   copies the share to S + k + 30
    ///   6014 81 83 604c 01 39                 copies the payee to k + 76
    ///   90 6020 90 03 80 6021 57              k -= 32, repeats unless it is zero
    ///   7f<topic> 6040 84 80 01 03 5f a1      emits 2 S - 64 bytes
    ///   6079 38 03 80 6079 5f 39 5f f3        returns the code from offset 121
    bytes private constant CREATION_HEAD = hex"601660a6380304" hex"8060405260405f52" hex"8060051b80606001"
        hex"80602052828152" hex"903890" hex"5b9060169003" hex"600281601401848401601e0139" hex"60148183604c0139"
        hex"906020900380602157" hex"7fefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba6179"
        hex"6040848001035fa1" hex"607938038060795f395ff3";

    /// @notice The entries of allocations, packed. Reverts unless there are 1 to 20 payees and as many shares.
    function pack(address[] calldata payees, uint16[] calldata shares) internal pure returns (bytes memory entries) {
        uint256 count = payees.length;
        if (count == 0 || count > MAX_PAYEES || count != shares.length) {
            revert IFeeSplitter.FeeSplitter_InvalidCount(count, shares.length);
        }
        entries = new bytes(count * ENTRY_LENGTH);
        for (uint256 i; i < count; ++i) {
            (address payee, uint256 share) = (payees[i], shares[i]);
            uint256 offset = i * ENTRY_LENGTH;
            assembly ("memory-safe") {
                // Only the bytes of the entry: the last word would reach beyond the end.
                let entry := add(add(entries, 32), offset)
                mstore(0, or(shl(96, payee), shl(80, share)))
                mcopy(entry, 0, 22)
            }
        }
    }

    /// @notice The runtime code of a splitter with these entries.
    function runtimeCode(address implementation, bytes memory entries) internal pure returns (bytes memory) {
        return abi.encodePacked(PROXY_HEAD, implementation, PROXY_TAIL, entries);
    }

    /// @notice The whole input of a creation transaction of a splitter with these entries.
    function creationCode(address implementation, bytes memory entries) internal pure returns (bytes memory) {
        return abi.encodePacked(CREATION_HEAD, runtimeCode(implementation, entries));
    }

    /// @notice The creation code that the factory passes to CREATE2. It only returns the runtime code.
    /// @dev 61<length> 80 600a 3d 39 3d f3: copies the code from offset 10 and returns it.
    function factoryCreationCode(address implementation, bytes memory entries) internal pure returns (bytes memory) {
        bytes memory code = runtimeCode(implementation, entries);
        return abi.encodePacked(hex"61", uint16(code.length), hex"80600a3d393df3", code);
    }

    /// @notice Reads the entries from the code of `splitter`.
    /// @return isClone Whether the code is that of a clone of `implementation` with 1 to 20 entries. If not, `entries` is
    /// empty.
    function read(address splitter, address implementation)
        internal
        view
        returns (bool isClone, bytes memory entries)
    {
        uint256 size = splitter.code.length;
        // A clone with no entry or with more than the maximum is shorter or longer.
        if (size <= PROXY_LENGTH || size > PROXY_LENGTH + MAX_PAYEES * ENTRY_LENGTH) return (false, entries);
        if ((size - PROXY_LENGTH) % ENTRY_LENGTH != 0) return (false, entries);
        bytes memory proxy = runtimeCode(implementation, "");
        bytes memory actual = new bytes(PROXY_LENGTH);
        assembly ("memory-safe") {
            extcodecopy(splitter, add(actual, 32), 0, PROXY_LENGTH)
        }
        if (keccak256(actual) != keccak256(proxy)) return (false, entries);
        isClone = true;
        entries = new bytes(size - PROXY_LENGTH);
        assembly ("memory-safe") {
            extcodecopy(splitter, add(entries, 32), PROXY_LENGTH, mload(entries))
        }
    }

    /// @notice Reverts unless the entries are valid: no zero payee, no zero share, no payee twice, none the splitter
    /// itself; the shares sum to 10,000. `pack` and `read` bound their number.
    function validate(bytes memory entries, address splitter) internal pure {
        uint256 count = entries.length / ENTRY_LENGTH;
        uint256 sum;
        for (uint256 i; i < count; ++i) {
            (address payee, uint16 share) = entryAt(entries, i);
            if (payee == address(0) || payee == splitter) revert IFeeSplitter.FeeSplitter_InvalidPayee(i, payee);
            if (share == 0) revert IFeeSplitter.FeeSplitter_InvalidShare(i);
            if (_indexOf(entries, payee) != i) revert IFeeSplitter.FeeSplitter_DuplicatePayee(payee);
            sum += share;
        }
        if (sum != TOTAL_SHARES) revert IFeeSplitter.FeeSplitter_SharesNot10000(sum);
    }

    /// @notice The index and the share of an account. The share is 0 if it has no entry.
    function find(bytes memory entries, address account) internal pure returns (uint256 index, uint16 share) {
        index = _indexOf(entries, account);
        if (index < entries.length / ENTRY_LENGTH) (, share) = entryAt(entries, index);
    }

    /// @notice The entry at an index below the count.
    function entryAt(bytes memory entries, uint256 index) internal pure returns (address payee, uint16 share) {
        assembly ("memory-safe") {
            let word := mload(add(add(entries, 32), mul(index, ENTRY_LENGTH)))
            payee := shr(96, word)
            share := and(shr(80, word), 0xffff)
        }
    }

    /// @dev The index of the first entry of an account; the count if there is none.
    function _indexOf(bytes memory entries, address account) private pure returns (uint256 index) {
        uint256 count = entries.length / ENTRY_LENGTH;
        assembly ("memory-safe") {
            // Compared in the upper 160 bits: the compiler may leave other bits of the account dirty.
            let searched := shl(96, account)
            let entry := add(entries, 32)
            for {} lt(index, count) { index := add(index, 1) } {
                if iszero(shr(96, xor(mload(entry), searched))) { break }
                entry := add(entry, ENTRY_LENGTH)
            }
        }
    }
}
