import { all, any, is, isNot, missing, present, same } from '../condition.ts'
import { detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { join, none, notDeleted, row } from '../source.ts'
import { type Sql, scaled, sql, today } from '../sql.ts'

const note = row('notes', 'note')
const image = row('images', 'image')
const document = row('documents', 'document')
const replaced = row('documents', 'replaced')
const optionValue = row('option-values', 'optionValue')

const howManyGiven = (...references: readonly Sql[]): Sql =>
  scaled(0, (to) => [
    references.map((each) => `case when ${present(each).write(to)} then 1 else 0 end`).join(' + '),
  ])

const noteSubjects = howManyGiven(
  note.partnerId,
  note.supplierId,
  note.productId,
  note.materialId,
  note.sampleId,
  note.orderId,
  note.productionRunId,
  note.shipmentId,
  note.invoiceId,
)

/** DOC-01 to DOC-04: notes, images and documents. */
export const documentRules: readonly Rule[] = [
  rule(
    'DOC-01',
    'error',
    ['notes', 'images'],
    'A note refers to exactly one record; an image refers to at least one, unless it is a logo.',
    'Refer the note to the one record that it is about, and the image to at least one.',
    find({
      from: note,
      where: sql`${noteSubjects} <> 1`,
      detail: detailText`refers to ${noteSubjects} records`,
    }),
    find({
      from: image,
      where: all(
        isNot(image.kind, 'logo'),
        missing(image.productId),
        missing(image.productOptionId),
        missing(image.skuId),
        missing(image.optionValueId),
        missing(image.materialId),
        missing(image.materialVariantId),
        missing(image.sampleRoundId),
        missing(image.goodsReceiptId),
      ),
      detail: detailText`${image.fileName} (${image.kind}) shows no record`,
    }),
  ),
  rule(
    'DOC-02',
    'error',
    ['documents'],
    'A document that replaces another has the next version number, and the other one is superseded.',
    'Set the replaced document to superseded, and count the version up by one.',
    find({
      from: document,
      join: [join(replaced, same(replaced.id, document.supersedesDocumentId))],
      where: any(
        sql`${document.version} <> ${replaced.version} + 1`,
        isNot(replaced.status, 'superseded'),
      ),
      detail: detailText`version ${document.version} replaces version ${replaced.version}, which is ${replaced.status}`,
    }),
  ),
  rule(
    'DOC-03',
    'warning',
    ['images', 'option-values'],
    'An option value with a swatch version has a swatch image of that version.',
    'Upload the swatch of the current version.',
    find({
      from: optionValue,
      where: all(
        present(optionValue.swatchVersion),
        none({
          from: image,
          where: all(
            same(image.optionValueId, optionValue.id),
            is(image.kind, 'swatch'),
            same(image.version, optionValue.swatchVersion),
            notDeleted(image),
          ),
        }),
      ),
      detail: detailText`there is no swatch of version ${optionValue.swatchVersion}`,
    }),
  ),
  rule(
    'DOC-04',
    'warning',
    ['documents'],
    'A certificate in use has not expired.',
    'Ask the partner for the renewed certificate, or set the document to expired.',
    find({
      from: document,
      where: all(
        sql`${document.expiryDate} < ${today}`,
        isNot(document.status, 'superseded'),
        isNot(document.status, 'rejected'),
        isNot(document.status, 'expired'),
      ),
      detail: detailText`${document.status}, expired ${document.expiryDate}`,
    }),
  ),
]
