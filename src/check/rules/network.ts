import { all, differ, given, same } from '../condition.ts'
import { atMostOne, find, say } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { join, kept, none, row } from '../source.ts'

const contact = row('contacts', 'contact')
const location = row('locations', 'location')
const brandLocation = row('brand-locations', 'brandLocation')
const partnerLocation = row('partner-locations', 'partnerLocation')
const supplier = row('suppliers', 'supplier')

/** NET-01 to NET-03: partners, people and places. */
export const networkRules: readonly Rule[] = [
  rule(
    'NET-01',
    'error',
    ['contacts', 'partner-locations', 'brand-locations'],
    'At most one primary contact per partner and role, one primary site per partner and role, one default location per role.',
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
    "A supplier's default contact and site are of its own partner.",
    find({
      from: supplier,
      join: [join(contact, same(contact.id, supplier.defaultContactId))],
      where: differ(contact.partnerId, supplier.partnerId),
      detail: say`contact ${contact.displayName} is of partner ${contact.partnerId}, the supplier of ${supplier.partnerId}`,
    }),
    find({
      from: supplier,
      where: all(
        given(supplier.defaultLocationId),
        none({
          from: partnerLocation,
          where: all(
            same(partnerLocation.partnerId, supplier.partnerId),
            same(partnerLocation.locationId, supplier.defaultLocationId),
            kept(partnerLocation),
          ),
        }),
      ),
      detail: say`location ${supplier.defaultLocationId} is no site of partner ${supplier.partnerId}`,
    }),
  ),
  rule(
    'NET-03',
    'error',
    ['locations', 'brand-locations', 'partner-locations'],
    'Every location is visible to the brand through a use of its own or of a partner.',
    find({
      from: location,
      where: all(
        none({
          from: brandLocation,
          where: all(same(brandLocation.locationId, location.id), kept(brandLocation)),
        }),
        none({
          from: partnerLocation,
          where: all(same(partnerLocation.locationId, location.id), kept(partnerLocation)),
        }),
      ),
      detail: say`${location.name} is used by nobody`,
    }),
  ),
]
