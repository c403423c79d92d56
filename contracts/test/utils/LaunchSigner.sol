// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "./SlipwayTest.sol";

/// @notice A creator with a key, and its authorizations for `launchFor`.
abstract contract LaunchSigner is SlipwayTest {
    /// @dev The arguments of `launchFor` without the signature.
    struct Authorization {
        address creator;
        ILaunchFactory.LaunchParams params;
        ILaunchFactory.InitialBuyParams buy;
        uint256 value;
        uint256 deadline;
    }

    address internal relayer = makeAddr("relayer");
    uint256 internal creatorKey;

    function setUp() public virtual override {
        super.setUp();
        (creator, creatorKey) = makeAddrAndKey("creator with a key");
        vm.deal(relayer, 1_000 ether);
    }

    function authorize(uint256 value) internal returns (Authorization memory authorization) {
        authorization.creator = creator;
        authorization.params = paramsWith(makeSplitter());
        grind(authorization.params, creator, true);
        authorization.buy = ILaunchFactory.InitialBuyParams(alice, value == 0 ? 0 : 1);
        authorization.value = value;
        authorization.deadline = block.timestamp + 600;
    }

    function digestOf(Authorization memory authorization) internal view returns (bytes32) {
        return factory.digestOf(
            authorization.creator,
            authorization.params,
            authorization.buy,
            authorization.value,
            authorization.deadline
        );
    }

    function sign(Authorization memory authorization) internal view returns (bytes memory) {
        return signWith(creatorKey, authorization);
    }

    function signWith(uint256 key, Authorization memory authorization) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digestOf(authorization));
        return abi.encodePacked(r, s, v);
    }

    function launchFor(Authorization memory authorization, bytes memory signature)
        internal
        returns (address token, address pool, uint256 amountOut)
    {
        return launchForWithValue(authorization, signature, authorization.value);
    }

    function launchForWithValue(Authorization memory authorization, bytes memory signature, uint256 value)
        internal
        returns (address token, address pool, uint256 amountOut)
    {
        vm.prank(relayer);
        return factory.launchFor{value: value}(
            authorization.creator,
            authorization.params,
            authorization.buy,
            authorization.value,
            authorization.deadline,
            signature
        );
    }

    function expectInvalidSignature(Authorization memory authorization, bytes memory signature) internal {
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_InvalidSignature.selector, authorization.creator
            )
        );
        launchFor(authorization, signature);
    }
}

/// @notice A wallet with code that accepts the signatures of its owner (ERC-1271), and native.
contract OwnedWallet {
    address private immutable _OWNER;

    constructor(address owner) {
        _OWNER = owner;
    }

    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s, uint8 v) = abi.decode(signature, (bytes32, bytes32, uint8));
        return ecrecover(hash, v, r, s) == _OWNER ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
