// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "solady/utils/EIP712.sol";
import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {SignatureCheckerLib} from "solady/utils/SignatureCheckerLib.sol";

import {FeeLocker} from "./FeeLocker.sol";
import {IUniswapV3SwapCallback} from "./interfaces/external/IUniswapV3Callbacks.sol";
import {IUniswapV3Factory} from "./interfaces/external/IUniswapV3Factory.sol";
import {IUniswapV3Pool} from "./interfaces/external/IUniswapV3Pool.sol";
import {IWrappedNative} from "./interfaces/external/IWrappedNative.sol";
import {IFeeLocker} from "./interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "./interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "./interfaces/ILaunchFactory.sol";
import {ISplitterFactory} from "./interfaces/ISplitterFactory.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {EcdsaSignature} from "./libraries/EcdsaSignature.sol";
import {FeePolicy} from "./libraries/FeePolicy.sol";
import {PoolAddress} from "./libraries/PoolAddress.sol";
import {SplitterClone} from "./libraries/SplitterClone.sol";
import {StartPrice} from "./libraries/StartPrice.sol";

/// @title LaunchFactory
contract LaunchFactory is ILaunchFactory, IUniswapV3SwapCallback, EIP712, ReentrancyGuardTransient {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    uint16 public constant PROTOCOL_FEE_BPS = FeePolicy.PROTOCOL_FEE_BPS;

    /// @inheritdoc ILaunchFactory
    uint16 public constant MAX_PARTNER_SHARE_BPS = 5_000;

    uint256 private constant SUPPLY = 1_000_000_000e18;

    /// @dev Maximum supply outside the position because of rounding, in base units: 0.000001 token.
    uint256 private constant MAX_UNPLACED = 1e12;

    /// @dev The tier that the deployment requires: every canonical Uniswap v3 factory has it.
    uint16 private constant REQUIRED_TIER = 100;

    bytes32 private constant PARAMS_TYPEHASH = keccak256(
        "LaunchParams(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,"
        "uint16 feeBps)"
    );
    bytes32 private constant BUY_TYPEHASH = keccak256("InitialBuyParams(address recipient,uint256 minimumOut)");
    bytes32 private constant LAUNCH_TYPEHASH = keccak256(
        "Launch(address creator,LaunchParams params,InitialBuyParams buy,uint256 value,uint256 deadline,uint256 epoch)"
        "InitialBuyParams(address recipient,uint256 minimumOut)"
        "LaunchParams(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,"
        "uint16 feeBps)"
    );

    /*//////////////////////////////////////////////////////////////
                                IMMUTABLES
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    address public immutable LOCKER;

    /// @inheritdoc ILaunchFactory
    address public immutable UNISWAP_FACTORY;

    /// @inheritdoc ILaunchFactory
    address public immutable WRAPPED_NATIVE;

    /// @inheritdoc ILaunchFactory
    address public immutable SPLITTER_FACTORY;

    /// @inheritdoc ILaunchFactory
    address public immutable SPLITTER_IMPLEMENTATION;

    /// @inheritdoc ILaunchFactory
    int24 public immutable START_TICK;

    uint160 private immutable _SQRT_PRICE_X96_IF_TOKEN0;
    uint160 private immutable _SQRT_PRICE_X96_IF_TOKEN1;
    uint96 private immutable _LIQUIDITY_IF_TOKEN0;
    uint96 private immutable _LIQUIDITY_IF_TOKEN1;

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    mapping(address creator => uint256) public epochOf;

    /// @dev The shares that each treasury has set. Only the present treasury's entries apply, so that no share outlives a
    /// change of the treasury.
    mapping(address treasury => mapping(address partner => uint16)) private _partnerSharesBps;

    /// @dev The pool that may call `uniswapV3SwapCallback`. Set only while the initial buy runs.
    address private transient _swappingPool;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    /// @param uniswapFactory The chain's genuine Uniswap v3 factory.
    /// @param wrappedNative The chain's genuine wrapped native token.
    /// @param splitterFactory The splitter factory, for the same wrapped native token.
    /// @param treasury Receives the protocol share of the fees.
    /// @param startTick The tick of the start price if the token is token1; a multiple of 600.
    /// @param sqrtPriceX96IfToken0 The exact boundary price of tick `-startTick`.
    /// @param sqrtPriceX96IfToken1 The exact boundary price of tick `startTick`.
    /// @param liquidityIfToken0 The maximum liquidity that the supply can fund if the token is token0.
    /// @param liquidityIfToken1 The maximum liquidity that the supply can fund if the token is token1.
    constructor(
        address uniswapFactory,
        address wrappedNative,
        address splitterFactory,
        address treasury,
        int24 startTick,
        uint160 sqrtPriceX96IfToken0,
        uint160 sqrtPriceX96IfToken1,
        uint128 liquidityIfToken0,
        uint128 liquidityIfToken1
    ) {
        if (uniswapFactory.code.length == 0) revert LaunchFactory_InvalidAddress(uniswapFactory);
        if (wrappedNative.code.length == 0) revert LaunchFactory_InvalidAddress(wrappedNative);
        if (splitterFactory.code.length == 0) revert LaunchFactory_InvalidAddress(splitterFactory);
        address implementation = ISplitterFactory(splitterFactory).IMPLEMENTATION();
        if (IFeeSplitter(implementation).WRAPPED_NATIVE() != wrappedNative) {
            revert LaunchFactory_InvalidAddress(splitterFactory);
        }
        _checkTier(uniswapFactory, REQUIRED_TIER);
        if (!StartPrice.isStartTick(startTick)) revert LaunchFactory_InvalidStartTick(startTick);
        if (!StartPrice.areReciprocal(sqrtPriceX96IfToken0, sqrtPriceX96IfToken1)) {
            revert LaunchFactory_InvalidStartPrices(sqrtPriceX96IfToken0, sqrtPriceX96IfToken1);
        }
        if (!StartPrice.isStorable(liquidityIfToken0) || !StartPrice.isStorable(liquidityIfToken1)) {
            revert LaunchFactory_InvalidLiquidity(liquidityIfToken0, liquidityIfToken1);
        }
        UNISWAP_FACTORY = uniswapFactory;
        WRAPPED_NATIVE = wrappedNative;
        SPLITTER_FACTORY = splitterFactory;
        SPLITTER_IMPLEMENTATION = implementation;
        START_TICK = startTick;
        _SQRT_PRICE_X96_IF_TOKEN0 = sqrtPriceX96IfToken0;
        _SQRT_PRICE_X96_IF_TOKEN1 = sqrtPriceX96IfToken1;
        _LIQUIDITY_IF_TOKEN0 = uint96(liquidityIfToken0);
        _LIQUIDITY_IF_TOKEN1 = uint96(liquidityIfToken1);
        LOCKER = address(
            new FeeLocker(treasury, wrappedNative, uniswapFactory, startTick)
        );
    }

    /// @dev Accepts native only from the wrapped native token, on `withdraw`.
    receive() external payable {
        if (msg.sender != WRAPPED_NATIVE) revert LaunchFactory_NotWrappedNative(msg.sender);
    }

    /*//////////////////////////////////////////////////////////////
                                  LAUNCH
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    function launch(LaunchParams calldata params, InitialBuyParams calldata buy)
        external
        payable
        nonReentrant
        returns (address token, address pool, uint256 amountOut)
    {
        _checkSplitter(params.splitter);
        return _launch(msg.sender, params, buy);
    }

    /// @inheritdoc ILaunchFactory
    function launchFor(
        address creator,
        LaunchParams calldata params,
        InitialBuyParams calldata buy,
        uint256 value,
        uint256 deadline,
        bytes calldata signature
    ) external payable nonReentrant returns (address token, address pool, uint256 amountOut) {
        if (msg.value != value) revert LaunchFactory_WrongValue(msg.value, value);
        if (block.timestamp > deadline) revert LaunchFactory_Expired(deadline, block.timestamp);
        if (!_isSigned(creator, digestOf(creator, params, buy, value, deadline), signature)) {
            revert LaunchFactory_InvalidSignature(creator);
        }
        // The signature names an address. Only an address of the splitter factory determines payees, shares and an empty
        // storage: at another address, an account could create a splitter of its choice after the signature.
        if (!ISplitterFactory(SPLITTER_FACTORY).isSplitter(params.splitter)) {
            revert LaunchFactory_InvalidSplitter(params.splitter);
        }
        return _launch(creator, params, buy);
    }

    /// @inheritdoc ILaunchFactory
    function cancel() external {
        emit LaunchesCancelled(msg.sender, ++epochOf[msg.sender]);
    }

    /// @inheritdoc IUniswapV3SwapCallback
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        if (msg.sender != _swappingPool) revert LaunchFactory_NotPool(msg.sender);
        // The other delta is negative: the pool pays it out. Only wrapped native is owed.
        int256 owed = amount0Delta > 0 ? amount0Delta : amount1Delta;
        SafeTransferLib.safeTransfer(WRAPPED_NATIVE, msg.sender, uint256(owed));
    }

    /*//////////////////////////////////////////////////////////////
                                 PARTNERS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    function setPartnerShare(address partner, uint16 shareBps) external {
        if (msg.sender != IFeeLocker(LOCKER).treasury()) revert LaunchFactory_NotTreasury(msg.sender);
        if (shareBps > MAX_PARTNER_SHARE_BPS) {
            revert LaunchFactory_InvalidPartnerShare(shareBps, MAX_PARTNER_SHARE_BPS);
        }
        if (partner == address(0)) revert LaunchFactory_InvalidPartner(partner);
        emit PartnerShareChanged(partner, _partnerSharesBps[msg.sender][partner], shareBps);
        _partnerSharesBps[msg.sender][partner] = shareBps;
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchFactory
    function partnerShareBps(address partner) public view returns (uint16) {
        return _partnerSharesBps[IFeeLocker(LOCKER).treasury()][partner];
    }

    /// @inheritdoc ILaunchFactory
    function predict(address creator, LaunchParams calldata params)
        external
        view
        returns (address token, address pool)
    {
        token = _create2Address(effectiveSalt(creator, params), keccak256(_tokenCreationCode(params)));
        pool = PoolAddress.compute(UNISWAP_FACTORY, token, WRAPPED_NATIVE, FeePolicy.poolFeeOf(params.feeBps));
    }

    /// @inheritdoc ILaunchFactory
    function effectiveSalt(address creator, LaunchParams calldata params) public pure returns (bytes32) {
        return keccak256(abi.encode(creator, params.salt, keccak256(abi.encode(params))));
    }

    /// @inheritdoc ILaunchFactory
    function digestOf(
        address creator,
        LaunchParams calldata params,
        InitialBuyParams calldata buy,
        uint256 value,
        uint256 deadline
    ) public view returns (bytes32) {
        bytes32 paramsHash = keccak256(
            abi.encode(
                PARAMS_TYPEHASH,
                keccak256(bytes(params.name)),
                keccak256(bytes(params.symbol)),
                keccak256(bytes(params.contractURI)),
                params.splitter,
                params.salt,
                params.partner,
                params.feeBps
            )
        );
        bytes32 buyHash = keccak256(abi.encode(BUY_TYPEHASH, buy));
        return _hashTypedData(
            keccak256(abi.encode(LAUNCH_TYPEHASH, creator, paramsHash, buyHash, value, deadline, epochOf[creator]))
        );
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    function _launch(address creator, LaunchParams calldata params, InitialBuyParams calldata buy)
        private
        returns (address token, address pool, uint256 amountOut)
    {
        _checkTier(UNISWAP_FACTORY, params.feeBps);
        token = _deployToken(creator, params);
        bool tokenIsToken0 = token < WRAPPED_NATIVE;
        pool = _openPool(token, tokenIsToken0, FeePolicy.poolFeeOf(params.feeBps));
        if (_isSystemContract(params.partner, token, pool)) revert LaunchFactory_InvalidPartner(params.partner);
        _lock(creator, params, token, pool, tokenIsToken0);

        if (msg.value != 0) amountOut = _buy(creator, token, pool, tokenIsToken0, buy.recipient);
        if (amountOut < buy.minimumOut) revert LaunchFactory_InitialBuyTooSmall(amountOut, buy.minimumOut);
    }

    /// @dev The owner of a Uniswap v3 factory can add tiers, but cannot change or remove one.
    function _checkTier(address uniswapFactory, uint16 feeBps) private view {
        if (
            !FeePolicy.isTier(feeBps)
                || !StartPrice.fits(IUniswapV3Factory(uniswapFactory).feeAmountTickSpacing(FeePolicy.poolFeeOf(feeBps)))
        ) revert LaunchFactory_InvalidFee(feeBps);
    }

    /// @dev A creation transaction runs no constructor of ours, so that the code and its entries are checked here. Its
    /// storage cannot be checked on chain.
    function _checkSplitter(address splitter) private view {
        (bool isClone, bytes memory entries) = SplitterClone.read(splitter, SPLITTER_IMPLEMENTATION);
        if (!isClone) revert LaunchFactory_InvalidSplitter(splitter);
        SplitterClone.validate(entries, splitter);
    }

    /// @dev Uses CREATE2, so that the address is predictable. The salt binds the creator and all parameters, so that no
    /// other account can use the address, and a signature launches once.
    function _deployToken(address creator, LaunchParams calldata params) private returns (address token) {
        bytes32 salt = effectiveSalt(creator, params);
        bytes memory creationCode = _tokenCreationCode(params);
        assembly ("memory-safe") {
            token := create2(0, add(creationCode, 32), mload(creationCode), salt)
        }
        if (token != address(0)) return token;

        address taken = _create2Address(salt, keccak256(creationCode));
        if (taken.code.length != 0) revert LaunchFactory_SaltTaken(taken);
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            returndatacopy(pointer, 0, returndatasize())
            revert(pointer, returndatasize())
        }
    }

    /// @dev Accepts an existing pool only at exactly the start price. A failed `initialize` must revert the launch:
    /// continuing would launch at a price that another account chose.
    function _openPool(address token, bool tokenIsToken0, uint24 poolFee) private returns (address pool) {
        pool = IUniswapV3Factory(UNISWAP_FACTORY).getPool(token, WRAPPED_NATIVE, poolFee);
        if (pool == address(0)) {
            pool = IUniswapV3Factory(UNISWAP_FACTORY).createPool(token, WRAPPED_NATIVE, poolFee);
        }
        (uint160 expectedPrice, int24 expectedTick) =
            tokenIsToken0 ? (_SQRT_PRICE_X96_IF_TOKEN0, -START_TICK) : (_SQRT_PRICE_X96_IF_TOKEN1, START_TICK);
        (uint160 sqrtPriceX96, int24 tick,,,,,) = IUniswapV3Pool(pool).slot0();
        if (sqrtPriceX96 == 0) {
            IUniswapV3Pool(pool).initialize(expectedPrice);
            (sqrtPriceX96, tick,,,,,) = IUniswapV3Pool(pool).slot0();
        }
        if (sqrtPriceX96 != expectedPrice) revert LaunchFactory_PoolTaken(pool, sqrtPriceX96, expectedPrice);
        if (tick != expectedTick) revert LaunchFactory_StartPriceMissed(tick, expectedTick);
    }

    /// @dev Reads the partner's share once and records it: later changes of the registry do not affect the launch.
    function _lock(address creator, LaunchParams calldata params, address token, address pool, bool tokenIsToken0)
        private
    {
        (int24 tickLower, int24 tickUpper) = StartPrice.range(START_TICK, tokenIsToken0);
        uint96 liquidity = tokenIsToken0 ? _LIQUIDITY_IF_TOKEN0 : _LIQUIDITY_IF_TOKEN1;
        uint16 shareBps = params.partner == address(0) ? 0 : partnerShareBps(params.partner);
        uint256 placed =
            IFeeLocker(LOCKER).lock(token, pool, params.splitter, params.partner, shareBps, params.feeBps, liquidity);
        if (placed + MAX_UNPLACED < SUPPLY) revert LaunchFactory_SupplyNotPlaced(placed, SUPPLY);
        emit Launched(
            token,
            creator,
            params.splitter,
            pool,
            params.name,
            params.symbol,
            params.contractURI,
            tokenIsToken0 ? -START_TICK : START_TICK,
            tickLower,
            tickUpper,
            liquidity,
            params.feeBps,
            PROTOCOL_FEE_BPS,
            params.partner,
            shareBps,
            params.salt
        );
    }

    /// @dev Refunds the creator what the pool does not take. The refund is a difference of balances, so that donations
    /// are excluded.
    function _buy(address creator, address token, address pool, bool tokenIsToken0, address recipient)
        private
        returns (uint256 amountOut)
    {
        if (recipient == address(0) || _isSystemContract(recipient, token, pool)) {
            revert LaunchFactory_InvalidRecipient(recipient);
        }
        uint256 balanceBefore = IWrappedNative(WRAPPED_NATIVE).balanceOf(address(this));
        IWrappedNative(WRAPPED_NATIVE).deposit{value: msg.value}();

        _swappingPool = pool;
        (int256 amount0, int256 amount1) = IUniswapV3Pool(pool).swap(
            recipient,
            !tokenIsToken0,
            int256(msg.value),
            tokenIsToken0 ? StartPrice.MAX_SQRT_PRICE_X96 - 1 : StartPrice.MIN_SQRT_PRICE_X96 + 1,
            ""
        );
        _swappingPool = address(0);
        amountOut = uint256(-(tokenIsToken0 ? amount0 : amount1));

        uint256 unspent = IWrappedNative(WRAPPED_NATIVE).balanceOf(address(this)) - balanceBefore;
        emit InitialBuy(token, recipient, msg.value - unspent, amountOut, unspent);
        if (unspent != 0) {
            IWrappedNative(WRAPPED_NATIVE).withdraw(unspent);
            if (!SafeTransferLib.trySafeTransferETH(creator, unspent, gasleft())) {
                revert LaunchFactory_RefundFailed(creator, unspent);
            }
        }
    }

    function _isSystemContract(address account, address token, address pool) private view returns (bool) {
        return account == address(this) || account == LOCKER || account == token || account == pool
            || account == WRAPPED_NATIVE || account == UNISWAP_FACTORY || account == SPLITTER_FACTORY
            || account == SPLITTER_IMPLEMENTATION;
    }

    /// @dev By the creator's key, also if the account delegates to code (EIP-7702), or by the creator's code (ERC-1271).
    function _isSigned(address creator, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (EcdsaSignature.isSignedBy(digest, signature, creator)) return true;
        return creator.code.length != 0
            && SignatureCheckerLib.isValidERC1271SignatureNowCalldata(creator, digest, signature);
    }

    function _tokenCreationCode(LaunchParams calldata params) private view returns (bytes memory) {
        return abi.encodePacked(
            type(LaunchToken).creationCode, abi.encode(params.name, params.symbol, params.contractURI, LOCKER)
        );
    }

    function _create2Address(bytes32 salt, bytes32 creationCodeHash) private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, creationCodeHash)))));
    }

    function _domainNameAndVersion() internal pure override returns (string memory name, string memory version) {
        return ("Slipway Launch Factory", "1");
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}
