// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Creates whatever it is given: a contract born so has no creation transaction of its own.
contract Deployer {
    event Created(address created);

    function create(bytes memory code) external returns (address created) {
        assembly {
            created := create(0, add(code, 32), mload(code))
        }
        require(created != address(0));
        emit Created(created);
    }
}
