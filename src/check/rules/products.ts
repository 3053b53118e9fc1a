import { count, unequal, whole } from '../amount.ts'
import { all, differ, is, isNot, same } from '../condition.ts'
import { atMostOne, detailText, find, numbered } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, none, notDeleted, row, textOf, valueFrom } from '../source.ts'
import { sql } from '../sql.ts'

const product = row('parent-products', 'product')
const relation = row('product-relations', 'relation')
const version = row('product-versions', 'version')
const option = row('product-options', 'option')
const optionValueLink = row('product-option-values', 'link')
const optionValue = row('option-values', 'value')
const offered = row('product-option-dimension-values', 'offered')
const sku = row('skus', 'sku')
const skuValue = row('sku-dimension-values', 'skuValue')
const dimension = row('dimensions', 'dimension')
const dimensionValue = row('dimension-values', 'dimensionValue')
const groupDimension = row('dimension-group-dimensions', 'member')
const category = row('categories', 'category')
const parent = row('categories', 'parent')
const material = row('materials', 'material')

const valuesInDimension = valueFrom(count, {
  from: skuValue,
  join: [
    join(
      dimensionValue,
      all(
        same(dimensionValue.id, skuValue.dimensionValueId),
        same(dimensionValue.dimensionId, dimension.id),
      ),
    ),
  ],
  where: same(skuValue.skuId, sku.id),
})

/** A SKU and its dimension values, as one text. */
const sized = derived('sized', {
  from: sku,
  join: [leftJoin(skuValue, same(skuValue.skuId, sku.id))],
  where: notDeleted(sku),
  columns: {
    id: sku.id,
    code: sku.code,
    productOptionId: sku.productOptionId,
    values: sql`coalesce(string_agg(${textOf(skuValue, 'dimensionValueId')}, ',' order by ${skuValue.dimensionValueId}), '')`,
  },
  group: [sku.id, sku.code, sku.productOptionId],
})

/** A product option and its option values, as one text. */
const composed = derived('composed', {
  from: option,
  join: [join(optionValueLink, same(optionValueLink.productOptionId, option.id))],
  where: notDeleted(option),
  columns: {
    id: option.id,
    values: sql`string_agg(${textOf(optionValueLink, 'optionValueId')}, ',' order by ${optionValueLink.optionValueId})`,
  },
  group: [option.id],
})

/** CAT-01 to CAT-06: products, their options and SKUs. */
export const productRules: readonly Rule[] = [
  rule(
    'CAT-01',
    'error',
    ['skus'],
    'A SKU and its product option belong to the same product.',
    'Correct the productId or the productOptionId of the SKU.',
    find({
      from: sku,
      join: [join(option, same(option.id, sku.productOptionId))],
      where: differ(option.productId, sku.productId),
      detail: detailText`belongs to product ${sku.productId}, its option ${option.code} to product ${option.productId}`,
    }),
  ),
  rule(
    'CAT-02',
    'error',
    ['skus', 'sku-dimension-values', 'dimension-group-dimensions'],
    "A SKU has exactly one value for each dimension of its product's dimension group.",
    'Add the missing dimension values to the SKU, or remove the surplus ones.',
    find({
      from: sku,
      join: [
        join(product, same(product.id, sku.productId)),
        join(groupDimension, same(groupDimension.dimensionGroupId, product.dimensionGroupId)),
        join(dimension, same(dimension.id, groupDimension.dimensionId)),
      ],
      where: unequal(valuesInDimension, whole(1)),
      detail: detailText`${valuesInDimension} values of dimension ${dimension.code}`,
    }),
  ),
  rule(
    'CAT-03',
    'error',
    ['skus', 'sku-dimension-values'],
    'No two SKUs of a product option have the same dimension values.',
    'Merge the duplicate SKUs, or correct the dimension values of one of them.',
    atMostOne({
      of: sku,
      from: sku,
      join: [join(sized, same(sized.id, sku.id))],
      per: [sku.productOptionId, sized.values],
      title: sku.code,
      detail: 'the same dimension values as',
    }),
  ),
  rule(
    'CAT-04',
    'error',
    ['sku-dimension-values', 'product-option-dimension-values'],
    'A SKU has only dimension values that its product option is offered in.',
    'Offer the product option in this dimension value, or correct the value of the SKU.',
    find({
      from: skuValue,
      join: [
        join(sku, same(sku.id, skuValue.skuId)),
        join(dimensionValue, same(dimensionValue.id, skuValue.dimensionValueId)),
      ],
      where: all(
        notDeleted(sku),
        none({
          from: offered,
          where: all(
            same(offered.productOptionId, sku.productOptionId),
            same(offered.dimensionValueId, skuValue.dimensionValueId),
          ),
        }),
      ),
      detail: detailText`${sku.code} is in ${dimensionValue.code}, which its product option is not offered in`,
    }),
  ),
  rule(
    'CAT-05',
    'error',
    ['product-option-values'],
    'A product option has at most one value per option, and no two options of a product have the same values.',
    'Remove the surplus option value, or merge the product options that are the same.',
    atMostOne({
      of: optionValueLink,
      from: optionValueLink,
      join: [
        join(optionValue, same(optionValue.id, optionValueLink.optionValueId)),
        join(option, all(same(option.id, optionValueLink.productOptionId), notDeleted(option))),
      ],
      per: [optionValueLink.productOptionId, optionValue.optionId],
      title: optionValue.name,
      detail: 'the option already has the value',
    }),
    atMostOne({
      of: option,
      from: option,
      join: [join(composed, same(composed.id, option.id))],
      per: [option.productId, composed.values],
      title: option.code,
      detail: 'the same option values as',
    }),
  ),
  rule(
    'CAT-06',
    'error',
    ['product-versions'],
    'Versions of a product are numbered 1, 2, 3 ... and at most one is approved.',
    'Renumber the versions, and retire all approved versions but the current one.',
    numbered({ of: version, within: version.productId, number: version.versionNumber }),
    atMostOne({
      of: version,
      from: version,
      where: is(version.status, 'approved'),
      per: [version.productId],
      title: version.versionNumber,
      detail: 'approved beside version',
    }),
  ),
]

/** CAT-14 and CAT-15: product relations and categories. */
export const classificationRules: readonly Rule[] = [
  rule(
    'CAT-14',
    'error',
    ['product-relations'],
    'A product is not related to itself.',
    'Delete the relation of the product to itself.',
    find({
      from: relation,
      where: same(relation.productId, relation.relatedProductId),
      detail: detailText`related to itself (${relation.kind})`,
    }),
  ),
  rule(
    'CAT-15',
    'error',
    ['categories', 'parent-products', 'materials'],
    'A category is one level below its parent and has the same kind; products have product categories, and materials have material categories.',
    'Correct the level, the parent or the kind of the category, or assign the record to another one.',
    find({
      from: category,
      join: [leftJoin(parent, same(parent.id, category.parentCategoryId))],
      where: sql`(${category.level} <> coalesce(${parent.level}, 0) + 1 or ${differ(category.kind, parent.kind)})`,
      detail: detailText`level ${category.level} and ${category.kind}, its parent level ${parent.level} and ${parent.kind}`,
    }),
    find({
      from: product,
      join: [join(category, same(category.id, product.categoryId))],
      where: isNot(category.kind, 'product'),
      detail: detailText`in ${category.code}, a ${category.kind} category`,
    }),
    find({
      from: material,
      join: [join(category, same(category.id, material.categoryId))],
      where: isNot(category.kind, 'material'),
      detail: detailText`in ${category.code}, a ${category.kind} category`,
    }),
  ),
]
