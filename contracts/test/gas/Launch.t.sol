// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of launches. The floor is the same token, pool, price and position, created by a minimal contract.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract LaunchGasTest is GasTest {
    /// @dev At most 1.10 x the floor; 1.02 x for 200 bytes of metadata.
    uint256 private constant MAX_RATIO_BPS = 11_000;
    uint256 private constant MAX_RATIO_OF_200_BYTES_BPS = 10_200;
    uint256 private constant LIMIT_IF_TOKEN0 = 5_596_286;
    uint256 private constant LIMIT_IF_TOKEN1 = 5_574_651;

    function test_Launch200BytesOfMetadata_CostsAtMostItsLimitAnd102PercentOfItsFloorInEveryTier() external {
        ILaunchFactory.LaunchParams memory params = _params("Slip", "SLIP", repeat("x", 200));
        for (uint256 i; i < 8; ++i) {
            bool tokenIsToken0 = i % 2 == 0;
            params.feeBps = tiers()[i / 2];
            string memory tier =
                params.feeBps == FEE_BPS ? "" : string.concat(vm.toString(params.feeBps), " bp, ");
            string memory name = string.concat("launch, 200 bytes of metadata, ", tier, orderName(tokenIsToken0));
            uint256 gasUsed = _measure(params, tokenIsToken0, name);
            uint256 floorGas = _measureFloor(params, tokenIsToken0, name);
            assertLe(gasUsed, tokenIsToken0 ? LIMIT_IF_TOKEN0 : LIMIT_IF_TOKEN1);
            assertLe(gasUsed * 10_000, floorGas * MAX_RATIO_OF_200_BYTES_BPS);
        }
    }

    /// @dev A signature check and more calldata.
    function test_LaunchFor_CostsAtMost20000GasMore() external {
        (address signer, uint256 key) = makeAddrAndKey("signer");
        creator = signer;
        ILaunchFactory.LaunchParams memory params = _params("Slip", "SLIP", repeat("x", 200));
        uint256 without = _measure(params, true, "launch, 200 bytes of metadata, token0");
        params.splitter = makeSplitter();
        grindRandomly(params, true);
        uint256 deadline = vm.getBlockTimestamp() + 600;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, factory.digestOf(signer, params, noBuy(), 0, deadline));
        vm.prank(alice);
        factory.launchFor(signer, params, noBuy(), 0, deadline, abi.encodePacked(r, s, v));
        uint256 gasUsed = record("Launch", "launch by signature");
        assertLe(gasUsed, without + 20_000);
    }

    /// @dev Reading and comparing 20 entries.
    function test_LaunchWithTwentyPayees_CostsAtMost30000GasMore() external {
        ILaunchFactory.LaunchParams memory params = _params("Slip", "SLIP", repeat("x", 200));
        uint256 without = _measure(params, true, "launch, 200 bytes of metadata, token0");
        address[] memory payees = new address[](20);
        uint16[] memory shares = new uint16[](20);
        for (uint256 i; i < 20; ++i) {
            (payees[i], shares[i]) = (address(uint160(uint256(keccak256(abi.encode("payee", i))))), 500);
        }
        params.splitter = deploySplitter(payees, shares);
        assertLe(_measure(params, true, "launch with 20 payees"), without + 30_000);
    }

    function test_LaunchLongestMetadataInAscii_CostsAtMost110PercentOfItsFloor() external {
        ILaunchFactory.LaunchParams memory params = _params(
            repeat("n", 64),
            repeat("S", 12),
            _contractURI(
                repeat("n", 64),
                repeat("S", 12),
                repeat("d", 1_000),
                string.concat("https://", repeat("i", 248)),
                string.concat("https://", repeat("w", 248))
            )
        );
        string memory name = "launch, longest metadata in ASCII";
        uint256 gasUsed = _measure(params, true, name);
        assertLe(gasUsed * 10_000, _measureFloor(params, true, name) * MAX_RATIO_BPS);
    }

    /// @dev The API counts code points of name and description, and UTF-16 units of the two links. In UTF-8 these are
    /// up to four and three bytes each.
    function test_LaunchLongestMetadataInBytes_CostsAtMost110PercentOfItsFloor() external {
        ILaunchFactory.LaunchParams memory params = _params(
            repeat(unicode"🚢", 64),
            repeat("S", 12),
            _contractURI(
                repeat(unicode"🚢", 64),
                repeat("S", 12),
                repeat(unicode"🚢", 1_000),
                string.concat("ipfs://", repeat(unicode"船", 249)),
                string.concat("https://", repeat(unicode"船", 248))
            )
        );
        string memory name = "launch, longest metadata in bytes";
        uint256 gasUsed = _measure(params, true, name);
        assertLe(gasUsed * 10_000, _measureFloor(params, true, name) * MAX_RATIO_BPS);
    }

    /// @dev The floor is the bare launch plus the same first buy directly on the pool, by a caller that holds wrapped
    /// native already.
    function test_LaunchWithInitialBuy_CostsAtMost110PercentOfItsFloor() external {
        ILaunchFactory.LaunchParams memory params = _params("Slip", "SLIP", repeat("x", 200));
        grindRandomly(params, true);
        vm.prank(creator);
        factory.launch{value: 0.1 ether}(params, ILaunchFactory.InitialBuyParams(creator, 1));
        uint256 gasUsed = record("Launch", "launch with initial buy");

        Launch memory bare = launchBare(params, true);
        uint256 floorGas = vm.lastCallGas().gasTotalUsed;
        buy(bare, 0.1 ether);
        floorGas += vm.lastCallGas().gasTotalUsed - 21_000;
        recordValue("Launch", "launch with initial buy, floor", floorGas);
        assertLe(gasUsed * 10_000, floorGas * MAX_RATIO_BPS);
    }

    /// @dev One more slot, and the reads of the treasury and of the share that it has set.
    function test_LaunchWithPartner_CostsOneMoreSlotAndTwoReads() external {
        ILaunchFactory.LaunchParams memory params = _params("Slip", "SLIP", repeat("x", 200));
        uint256 without = _measure(params, true, "launch, 200 bytes of metadata, token0");
        registerPartner(partner, 5_000);
        params.partner = partner;
        assertApproxEqAbs(_measure(params, true, "launch with partner"), without, 28_000);
    }

    function _measure(ILaunchFactory.LaunchParams memory params, bool tokenIsToken0, string memory name)
        private
        returns (uint256)
    {
        grindRandomly(params, tokenIsToken0);
        launch(params);
        return record("Launch", name);
    }

    function _measureFloor(ILaunchFactory.LaunchParams memory params, bool tokenIsToken0, string memory name)
        private
        returns (uint256)
    {
        launchBare(params, tokenIsToken0);
        return record("Launch", string.concat(name, ", floor"));
    }

    function _params(string memory name, string memory symbol, string memory contractURI)
        private
        returns (ILaunchFactory.LaunchParams memory params)
    {
        params = paramsWith(deploySplitter());
        (params.name, params.symbol, params.contractURI) = (name, symbol, contractURI);
    }

    /// @dev The format of packages/protocol/src/contractUri.ts.
    function _contractURI(
        string memory name,
        string memory symbol,
        string memory description,
        string memory image,
        string memory website
    ) private pure returns (string memory) {
        string memory first = string.concat('{"name":"', name, '","symbol":"', symbol, '","description":"', description);
        string memory document = string.concat(first, '","image":"', image, '","external_link":"', website, '"}');
        return string.concat("data:application/json;base64,", vm.toBase64(document));
    }
}
