"""torch.nn.MultiheadAttention, scaled_dot_product_attention, and attention as papers define it."""
import math

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from golden_file import GoldenFile, normal


def hidden(mask):
    """Returns where a mask of MultiheadAttention hides keys: True, or minus infinity."""
    return mask if mask.dtype == torch.bool else mask.isneginf()


def draw_mask(kind, *shape):
    """bool: some True; float: normal with some minus infinity; finite: normal."""
    if kind == "finite":
        return normal(*shape)
    places = torch.rand(*shape) < 0.3
    if kind == "bool":
        return places
    return torch.randn(*shape).masked_fill(places, -math.inf).requires_grad_()


def draw_masks(attn_mask, key_padding_mask, batch, heads, queries, keys):
    """attn_mask: "2d bool", "3d float", ...; every query sees a key, or its output would be NaN."""
    while True:
        dead = torch.zeros(batch, heads, queries, keys, dtype=torch.bool)
        mask = padding = None
        if attn_mask:
            rank, kind = attn_mask.split()
            shape = (queries, keys) if rank == "2d" else (batch * heads, queries, keys)
            mask = draw_mask(kind, *shape)
            leading = (1, 1) if rank == "2d" else (batch, heads)
            dead = dead | hidden(mask).reshape(*leading, queries, keys)
        if key_padding_mask:
            padding = draw_mask(key_padding_mask, batch, keys)
            dead = dead | hidden(padding)[:, None, None, :]
        if not dead.all(-1).any():
            return mask, padding


def mha(file, name, batch=2, embed_dim=4, num_heads=2, queries=3, keys=4, given="q k v",
        attn_mask=None, key_padding_mask=None, dead_row=False, **arguments):
    """given: the tensors passed; a missing k is q, a missing v is k."""
    file.case(name, embed_dim=embed_dim, num_heads=num_heads, **arguments)
    layer = torch.nn.MultiheadAttention(embed_dim, num_heads, batch_first=True, **arguments)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    q = normal(batch, queries, embed_dim)
    k = normal(batch, keys, layer.kdim) if "k" in given else q
    v = normal(batch, k.shape[1], layer.vdim) if "v" in given else k
    mask, padding = draw_masks(attn_mask, key_padding_mask, batch, num_heads, queries, k.shape[1])
    if dead_row:
        mask = mask.clone()
        mask[1] = True
    y, weights = layer(q, k, v, attn_mask=mask, key_padding_mask=padding,
                       average_attn_weights=False)
    inputs = {"q": q, "k": None if k is q else k, "v": None if v is k else v,
              "attn_mask": mask, "key_padding_mask": padding}
    file.differentiate(y, inputs)
    file.add(weights=weights)
    file.add_named(dict(layer.named_parameters()), "state.")
    file.add_named({n: p.grad for n, p in layer.named_parameters()}, "d.")


def mha_file():
    f = GoldenFile("mha")
    mha(f, "self", given="q", queries=4)
    mha(f, "self_without_bias_mask_2d_bool", given="q", queries=4, bias=False, attn_mask="2d bool")
    mha(f, "self_mask_2d_float", given="q", queries=4, attn_mask="2d float")
    mha(f, "self_padding_bool", given="q", queries=4, key_padding_mask="bool")
    mha(f, "self_mask_3d_bool_padding_bool", given="q", queries=4, attn_mask="3d bool",
        key_padding_mask="bool")
    mha(f, "cross_padding_float", given="q k", key_padding_mask="float")
    mha(f, "cross_mask_3d_float", attn_mask="3d float", embed_dim=9, num_heads=3)
    mha(f, "cross_more_queries_mask_2d_bool_padding_float", queries=5, keys=2, given="q k",
        attn_mask="2d bool", key_padding_mask="float")
    mha(f, "keys_are_queries", given="q v", queries=3)
    mha(f, "kdim_and_vdim_masks_float", kdim=5, vdim=3, attn_mask="2d float",
        key_padding_mask="float")
    mha(f, "kdim_without_bias", kdim=5, bias=False)
    mha(f, "vdim_mask_3d_bool", vdim=7, attn_mask="3d bool")
    mha(f, "bias_kv_self_mask_2d_bool", given="q", queries=4, add_bias_kv=True,
        attn_mask="2d bool")
    mha(f, "bias_kv_without_bias_masks_float", bias=False, add_bias_kv=True, attn_mask="3d float",
        key_padding_mask="float")
    mha(f, "zero_attn_padding_bool", given="q k", add_zero_attn=True, key_padding_mask="bool")
    mha(f, "zero_attn_and_a_query_that_sees_nothing_else", given="q", queries=4, add_zero_attn=True,
        attn_mask="2d bool", dead_row=True)
    mha(f, "everything", embed_dim=6, kdim=5, vdim=3, add_bias_kv=True, add_zero_attn=True,
        attn_mask="3d bool", key_padding_mask="bool")
    mha(f, "one_example_mask_3d_bool", batch=1, embed_dim=6, num_heads=3, given="q k",
        attn_mask="3d bool")
    mha(f, "one_head_mask_3d_float", batch=3, num_heads=1, given="q k", attn_mask="3d float")
    f.write()


def sdpa(file, name, batch=2, heads=2, kv_heads=None, queries=3, keys=5, width=3, value_width=None,
         mask=None, scale=None, causal=False, alibi=None):
    """causal: aligned at the end, like torch's is_causal for as many queries as keys. mask:
    shape and type; a bool one is True where a query may attend. alibi: the heads' slopes."""
    kv_heads = kv_heads or heads
    file.case(name, **({"causal": True} if causal else {}), **({"alibi": True} if alibi else {}))
    q = normal(batch, heads, queries, width)
    k = normal(batch, kv_heads, keys, width)
    v = normal(batch, kv_heads, keys, value_width or width)
    if mask:
        mask = draw_mask(mask[-1], *mask[:-1])
    used, is_causal = mask, causal and queries == keys and mask is None
    lower = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if causal and not is_causal:
        used = lower if mask is None else mask.masked_fill(~lower, -math.inf)
    if alibi:
        away = (torch.arange(keys)[None] - torch.arange(keys - queries, keys)[:, None]).abs()
        used = -torch.tensor(alibi)[:, None, None] * away
        used = used.masked_fill(~lower, -math.inf) if causal else used
        is_causal = False
    with sdpa_kernel(SDPBackend.MATH):
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=used, is_causal=is_causal,
                                           scale=scale, enable_gqa=kv_heads != heads)
    file.differentiate(y, {"q": q, "k": k, "v": v, "mask": mask})
    file.add(scale=None if scale is None else torch.tensor(scale))


def by_distance(file, name, batch=1, heads=2, kv_heads=None, queries=3, keys=5, width=3,
                value_width=2, reach=None, relative_values=True, bias=None, mask=None, scale=None,
                temperature=None, spread=1.0, **options):
    """Attention written out. Relative positions: e_ij = q_i (k_j + a^K_ij) / sqrt(d),
    z_i = sum_j w_ij (v_j + a^V_ij) (Shaw et al., equations 3 and 4). The last query and the last
    key have the same position. spread: standard deviation of the queries, small for cases whose
    scores are multiplied by 100 and would be too large for f32."""
    file.case(name, **options)
    kv_heads = kv_heads or heads
    q = normal(batch, heads, queries, width, scale=spread)
    k = normal(batch, kv_heads, keys, width)
    v = normal(batch, kv_heads, keys, value_width)
    inputs = {"q": q, "k": k, "v": v}
    kk, vv = (x.repeat_interleave(heads // kv_heads, 1) for x in (k, v))
    away = torch.arange(keys)[None] - torch.arange(keys - queries, keys)[:, None]  # j - i
    scores = torch.einsum("bhid,bhjd->bhij", q, kk)
    if reach is not None:
        row = away.clamp(-reach, reach) + reach
        inputs["relative_keys"] = a_k = normal(2 * reach + 1, width)
        scores = scores + torch.einsum("bhid,ijd->bhij", q, a_k[row])
        if relative_values:
            inputs["relative_values"] = a_v = normal(2 * reach + 1, value_width)
    factor = 1 / math.sqrt(width)
    if scale is not None:
        inputs["scale"] = normal(*scale)
        factor = inputs["scale"][..., None, None] if scale else inputs["scale"]
    if temperature is not None:
        inputs["temperature"] = s = torch.tensor(temperature, requires_grad=True)
        factor = factor * s.clamp(-math.log(100), math.log(100)).exp().reshape(-1, 1, 1)
    added = 0
    if mask:
        inputs["mask"] = added = draw_mask(mask[-1], *mask[:-1])
    before = options.get("mask_before_scale", False)
    scores = (scores + added) * factor if before else scores * factor + added
    if bias:
        inputs["bias"] = table = normal(bias, queries + keys - 1)
        scores = scores + table[:, keys - 1 + away]
    if options.get("causal"):
        scores = scores.masked_fill(away > 0, -math.inf)
    if options.get("hide_self"):
        scores = scores.masked_fill(away == 0, -math.inf)
    w = scores.softmax(-1)
    y = torch.einsum("bhij,bhjd->bhid", w, vv)
    if reach is not None and relative_values:
        y = y + torch.einsum("bhij,ijd->bhid", w, a_v[row])
    file.differentiate(y, inputs)
    file.add(weights=w)


def attention_file(slopes):
    f = GoldenFile("attention")
    sdpa(f, "plain")
    sdpa(f, "long", batch=1, queries=19, keys=21, width=9, value_width=4, heads=1)
    sdpa(f, "causal", queries=5, causal=True)
    sdpa(f, "causal_more_keys", queries=2, causal=True)
    sdpa(f, "causal_first_queries_see_nothing", queries=6, keys=4, causal=True)
    sdpa(f, "mask_2d_bool", mask=(3, 5, "bool"))
    sdpa(f, "mask_4d_bool", mask=(2, 2, 3, 5, "bool"))
    sdpa(f, "mask_of_examples_float", mask=(2, 1, 3, 5, "float"))
    sdpa(f, "mask_of_heads_float", mask=(1, 2, 3, 5, "float"))
    sdpa(f, "mask_that_hides_all_but_one_example", keys=1, mask=(2, 1, 1, 1, "bool"))
    sdpa(f, "scale", scale=0.3)
    sdpa(f, "causal_mask_float_scale", queries=5, causal=True, mask=(5, 5, "float"), scale=1.5)
    sdpa(f, "grouped", heads=6, kv_heads=2, queries=2)
    sdpa(f, "grouped_to_one_causal", heads=3, kv_heads=1, queries=4, causal=True, value_width=2)
    sdpa(f, "grouped_mask_4d_float", heads=4, kv_heads=2, mask=(2, 4, 3, 5, "float"))
    sdpa(f, "alibi_causal", heads=8, batch=1, queries=4, keys=4, width=2, causal=True,
         alibi=slopes(8))
    sdpa(f, "alibi", heads=12, batch=1, queries=3, keys=4, width=2, alibi=slopes(12))
    by_distance(f, "relative", batch=2, reach=2)
    by_distance(f, "relative_keys_only", reach=1, relative_values=False)
    by_distance(f, "relative_beyond_all_distances", reach=9)
    by_distance(f, "relative_causal_grouped", reach=2, heads=4, kv_heads=2, causal=True)
    by_distance(f, "relative_more_queries_mask", reach=3, queries=6, keys=3,
                mask=(1, 1, 6, 3, "float"))
    by_distance(f, "bias_of_heads", batch=2, bias=2)
    by_distance(f, "bias_for_all_heads_causal", bias=1, causal=True)
    by_distance(f, "scale_of_heads_hides_self", scale=(2,), hide_self=True)
    by_distance(f, "temperature_with_one_clamped", heads=3, temperature=[0.4, -0.7, 5.0],
                spread=0.05)
    by_distance(f, "temperature_mask_before_scale", temperature=0.3, mask=(3, 5, "finite"),
                mask_before_scale=True)
    f.write()
