import type { RecordAt } from '#contract'
import { date, moment } from './calendar.ts'
import type { DocumentCode, SeasonContext } from './context.ts'
import { people } from './story-records.ts'

/** A file that belongs to an order, a shipment or a partner. */
export interface DocumentFile {
  readonly code: DocumentCode
  readonly name: string
  readonly reference: string
  readonly day: number
  readonly partnerId: string | null
  readonly orderId: string | null
  readonly shipmentId: string | null
  readonly userId: string
}

export const putDocument = ({ put, random, shared }: SeasonContext, file: DocumentFile): string => {
  const id = random.id()
  const createdAt = moment(file.day)
  put('documents', {
    id,
    documentTypeId: shared.document[file.code],
    name: file.name,
    reference: file.reference,
    documentDate: date(file.day),
    status: 'approved',
    version: 1,
    fileName: `${file.reference.toLowerCase()}.pdf`,
    mimeType: 'application/pdf',
    sizeBytes: random.between(40_000, 220_000),
    partnerId: file.partnerId,
    orderId: file.orderId,
    shipmentId: file.shipmentId,
    uploadedByUserId: file.userId,
    createdAt,
  })
  return id
}

/** The record that a note is about. */
type NotedOn = Partial<
  Pick<RecordAt<'notes'>, 'orderId' | 'productionRunId' | 'shipmentId' | 'invoiceId'>
>

/** A remark on one record. */
export const putNote = (
  { put, random }: SeasonContext,
  on: NotedOn,
  body: string,
  day: number,
  removedDay: number | null = null,
): void => {
  const createdAt = moment(day, 11 * 60)
  const removedAt = removedDay === null ? null : moment(removedDay, 11 * 60)
  put('notes', {
    id: random.id(),
    ...on,
    visibility: 'internal',
    pinned: false,
    body,
    authorUserId: people.logistics,
    createdAt,
    updatedAt: removedAt ?? createdAt,
    deletedAt: removedAt,
  })
}
