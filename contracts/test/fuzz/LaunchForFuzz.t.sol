// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {ILaunchToken} from "../../src/interfaces/ILaunchToken.sol";
import {LaunchSigner} from "../utils/LaunchSigner.sol";

contract LaunchForFuzzTest is LaunchSigner {
    /// @param texts Name, symbol and contract URI.
    function testFuzz_ASignatureLaunchesWhatWasSigned(
        string[3] memory texts,
        bytes32 salt,
        uint128 value,
        uint64 validity,
        uint256 keySeed
    ) external {
        creatorKey = bound(keySeed, 1, 1 << 250);
        creator = vm.addr(creatorKey);
        vm.assume(creator.code.length == 0);
        Authorization memory authorization = authorize(bound(value, 0, 1e27));
        (authorization.params.name, authorization.params.symbol) = (texts[0], texts[1]);
        (authorization.params.contractURI, authorization.params.salt) = (texts[2], salt);
        authorization.buy.minimumOut = 0;
        authorization.deadline = block.timestamp + validity;
        _launchAndCheck(authorization);
    }

    function _launchAndCheck(Authorization memory authorization) private {
        (address predicted,) = factory.predict(creator, authorization.params);
        uint256 before = creator.balance;
        vm.deal(relayer, authorization.value);
        (address token, address pool, uint256 amountOut) = launchFor(authorization, sign(authorization));
        assertEq(token, predicted);
        assertEq(IERC20(token).name(), authorization.params.name);
        assertEq(IERC20(token).symbol(), authorization.params.symbol);
        assertEq(ILaunchToken(token).contractURI(), authorization.params.contractURI);
        assertEq(balance(token, alice), amountOut);
        assertEq(relayer.balance, 0);
        assertEq(balance(address(weth), pool) + creator.balance - before, authorization.value);
    }
}
