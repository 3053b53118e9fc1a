import type { RecordAt } from '#contract'
import { date, moment } from './calendar.ts'
import type { DocumentCode, World } from './context.ts'
import { people } from './story-records.ts'

/** A file kept with an order, a shipment or a partner. */
export interface Paper {
  readonly code: DocumentCode
  readonly name: string
  readonly reference: string
  readonly day: number
  readonly partnerId: string | null
  readonly orderId: string | null
  readonly shipmentId: string | null
  readonly userId: string
}

export const putPaper = ({ put, chance, shared }: World, paper: Paper): string => {
  const id = chance.id()
  const createdAt = moment(paper.day)
  put('documents', {
    id,
    documentTypeId: shared.document[paper.code],
    name: paper.name,
    reference: paper.reference,
    documentDate: date(paper.day),
    status: 'approved',
    version: 1,
    supersedesDocumentId: null,
    fileName: `${paper.reference.toLowerCase()}.pdf`,
    mimeType: 'application/pdf',
    sizeBytes: chance.between(40_000, 220_000),
    sha256: null,
    expiryDate: null,
    partnerId: paper.partnerId,
    productId: null,
    productVersionId: null,
    quoteId: null,
    sampleId: null,
    orderId: paper.orderId,
    shipmentId: paper.shipmentId,
    uploadedByUserId: paper.userId,
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
  })
  return id
}

/** What a note is left on. */
type NotedOn = Partial<
  Pick<RecordAt<'notes'>, 'orderId' | 'productionRunId' | 'shipmentId' | 'invoiceId'>
>

/** A remark on one record. */
export const putNote = (
  { put, chance }: World,
  on: NotedOn,
  body: string,
  day: number,
  removedDay: number | null = null,
): void => {
  const createdAt = moment(day, 11 * 60)
  const removedAt = removedDay === null ? null : moment(removedDay, 11 * 60)
  put('notes', {
    id: chance.id(),
    partnerId: null,
    supplierId: null,
    productId: null,
    materialId: null,
    sampleId: null,
    orderId: on.orderId ?? null,
    productionRunId: on.productionRunId ?? null,
    shipmentId: on.shipmentId ?? null,
    invoiceId: on.invoiceId ?? null,
    visibility: 'internal',
    pinned: false,
    body,
    authorUserId: people.logistics,
    createdAt,
    updatedAt: removedAt ?? createdAt,
    deletedAt: removedAt,
  })
}
