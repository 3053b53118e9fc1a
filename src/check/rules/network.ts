import { all, differ, present, same } from '../condition.ts'
import { atMostOne, detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { join, none, notDeleted, row } from '../source.ts'

const contact = row('contacts', 'contact')
const location = row('locations', 'location')
const brandLocation = row('brand-locations', 'brandLocation')
const partnerLocation = row('partner-locations', 'partnerLocation')
const supplier = row('suppliers', 'supplier')

/** NET-01 to NET-03: partners, contacts and locations. */
export const networkRules: readonly Rule[] = [
  rule(
    'NET-01',
    'error',
    ['contacts', 'partner-locations', 'brand-locations'],
    'At most one primary contact per partner and role, one primary site per partner and role, one default location per role.',
    'Leave one primary or default entry, and clear the flag on the others.',
    atMostOne({
      of: contact,
      from: contact,
      where: contact.isPrimary,
      per: [contact.partnerId, contact.role],
      title: contact.displayName,
      detail: 'primary beside',
    }),
    atMostOne({
      of: partnerLocation,
      from: partnerLocation,
      where: partnerLocation.isPrimary,
      per: [partnerLocation.partnerId, partnerLocation.role],
      title: partnerLocation.locationId,
      detail: 'primary beside location',
    }),
    atMostOne({
      of: brandLocation,
      from: brandLocation,
      where: brandLocation.isDefault,
      per: [brandLocation.role],
      title: brandLocation.locationId,
      detail: 'default beside location',
    }),
  ),
  rule(
    'NET-02',
    'error',
    ['suppliers', 'contacts'],
    'The default contact and site of a supplier belong to its partner.',
    'Choose a contact and a site of the same partner as defaults of the supplier.',
    find({
      from: supplier,
      join: [join(contact, same(contact.id, supplier.defaultContactId))],
      where: differ(contact.partnerId, supplier.partnerId),
      detail: detailText`contact ${contact.displayName} belongs to partner ${contact.partnerId}, the supplier to ${supplier.partnerId}`,
    }),
    find({
      from: supplier,
      where: all(
        present(supplier.defaultLocationId),
        none({
          from: partnerLocation,
          where: all(
            same(partnerLocation.partnerId, supplier.partnerId),
            same(partnerLocation.locationId, supplier.defaultLocationId),
            notDeleted(partnerLocation),
          ),
        }),
      ),
      detail: detailText`location ${supplier.defaultLocationId} is not a site of partner ${supplier.partnerId}`,
    }),
  ),
  rule(
    'NET-03',
    'error',
    ['locations', 'brand-locations', 'partner-locations'],
    'Every location is used by the brand or by a partner.',
    'Link the location to the brand or to a partner, or delete it.',
    find({
      from: location,
      where: all(
        none({
          from: brandLocation,
          where: all(same(brandLocation.locationId, location.id), notDeleted(brandLocation)),
        }),
        none({
          from: partnerLocation,
          where: all(same(partnerLocation.locationId, location.id), notDeleted(partnerLocation)),
        }),
      ),
      detail: detailText`${location.name} is used neither by the brand nor by a partner`,
    }),
  ),
]
