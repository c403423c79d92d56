// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";

/// @notice Reads `Launched` from recorded logs. The event has too many fields for `vm.expectEmit` without the IR
/// pipeline.
library LaunchedEvent {
    /// @dev The non-indexed fields, in order.
    struct Data {
        address pool;
        string name;
        string symbol;
        string contractURI;
        int24 tickStart;
        int24 tickLower;
        int24 tickUpper;
        uint128 liquidity;
        uint16 totalFeeBps;
        uint16 protocolFeeBps;
        address partner;
        uint16 partnerShareBps;
        bytes32 salt;
    }

    function find(Vm.Log[] memory logs, address factory) internal pure returns (uint256 index) {
        for (index = 0; index < logs.length; ++index) {
            if (logs[index].emitter == factory && logs[index].topics[0] == ILaunchFactory.Launched.selector) return index;
        }
        revert("no Launched event");
    }

    function decode(Vm.Log memory log) internal pure returns (Data memory) {
        // Event arguments are encoded like the fields of a struct, without the offset of the struct.
        return abi.decode(bytes.concat(bytes32(uint256(32)), log.data), (Data));
    }
}
