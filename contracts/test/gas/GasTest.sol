// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";
import {Trader} from "../utils/Trader.sol";
import {BareLauncher} from "./BareLauncher.sol";

/// @notice Measures whole transactions. With `isolate` each call of a test is a transaction of its own: every access is
/// cold, and the figure includes base cost and calldata, as on a receipt.
/// @dev Writes the figures to contracts/snapshots only if SLIPWAY_GAS is set. contracts/tools/gasTable.ts sets it, and
/// SLIPWAY_FLOORS to a folder of floors that are compiled with the release profile: a floor without optimisation would be
/// too high.
abstract contract GasTest is SlipwayTest {
    BareLauncher internal bareLauncher;

    uint256 private _nextBareSalt;

    function setUp() public virtual override {
        super.setUp();
        bareLauncher = _deployLauncher(readCreationCode("LaunchToken"));
    }

    /// @dev The floor of an initial buy includes the trader's swap.
    function deployTrader() internal override returns (Trader) {
        return Trader(deployFloor("Trader", ""));
    }

    /// @dev Deploys a contract whose own gas is part of a floor.
    function deployFloor(string memory contractName, bytes memory arguments) internal returns (address) {
        string memory artifact = string.concat(contractName, ".sol/", contractName, ".json");
        string memory folder = vm.envOr("SLIPWAY_FLOORS", string(""));
        bytes memory creationCode = bytes(folder).length == 0
            ? vm.getCode(string.concat(contractName, ".sol:", contractName))
            : vm.parseJsonBytes(vm.readFile(string.concat(folder, "/", artifact)), ".bytecode.object");
        return create(bytes.concat(creationCode, arguments));
    }

    /// @dev The creation code in a JSON file of this folder.
    function readFixture(string memory name) internal view returns (bytes memory) {
        string memory json = vm.readFile(string.concat("contracts/test/gas/", name, ".json"));
        return vm.parseJsonBytes(json, ".bytecode");
    }

    /// @dev Records the gas of the last call, refunds deducted, in the snapshot `group`.json under `name`.
    function record(string memory group, string memory name) internal returns (uint256 gasUsed) {
        gasUsed = vm.lastCallGas().gasTotalUsed;
        recordValue(group, name, gasUsed);
    }

    function recordValue(string memory group, string memory name, uint256 value) internal {
        if (vm.envOr("SLIPWAY_GAS", false)) vm.snapshotValue(group, name, value);
    }

    /// @dev Launches the same token and pool as `params`, without Slipway.
    function launchBare(ILaunchFactory.LaunchParams memory params, bool tokenIsToken0)
        internal
        returns (Launch memory launched)
    {
        bytes32 salt;
        bytes memory arguments = abi.encode(params.name, params.symbol, params.contractURI, address(bareLauncher));
        do {
            salt = keccak256(abi.encode(_nextBareSalt++));
        } while ((bareLauncher.predict(arguments, salt) < address(weth)) != tokenIsToken0);
        vm.prank(creator);
        (launched.token, launched.pool) = bareLauncher.launch(
            params.name, params.symbol, params.contractURI, salt, uint24(params.feeBps) * 100
        );
        launched.tokenIsToken0 = tokenIsToken0;
    }

    /// @dev Uses random salts like a client: small numbers would make the calldata cheaper.
    function grindRandomly(ILaunchFactory.LaunchParams memory params, bool tokenIsToken0) internal {
        address token;
        do {
            params.salt = keccak256(abi.encode(params.salt));
            (token,) = factory.predict(creator, params);
        } while ((token < address(weth)) != tokenIsToken0);
    }

    function _deployLauncher(bytes memory tokenCode) private returns (BareLauncher) {
        BareLauncher.Setup memory setup = BareLauncher.Setup(
            uniswap,
            address(weth),
            startTick,
            sqrtPriceIfToken0,
            sqrtPriceIfToken1,
            liquidityIfToken0,
            liquidityIfToken1
        );
        return BareLauncher(deployFloor("BareLauncher", abi.encode(setup, tokenCode)));
    }

    function orderName(bool tokenIsToken0) internal pure returns (string memory) {
        return tokenIsToken0 ? "token0" : "token1";
    }

    /// @dev `unit`, repeated `times` times.
    function repeat(string memory unit, uint256 times) internal pure returns (string memory text) {
        bytes memory joined;
        for (uint256 i; i < times; ++i) {
            joined = bytes.concat(joined, bytes(unit));
        }
        return string(joined);
    }
}
