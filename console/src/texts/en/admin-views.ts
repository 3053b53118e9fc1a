/** The views that are published for a brand. */
export const views = {
  title: 'Views',
  about:
    'Views of lists that everybody who reads a brand sees in the console: filters, order, columns and grouping under a name. A key that is limited to groups gets those whose groups it may read.',
  empty: 'This brand has no published views.',
  noBrands: 'There is no brand yet.',
  publish: 'Publish a view',
  link: 'Link of the list',
  linkNote: (brand: string) =>
    `Open the list of ${brand} in the console, choose filters and columns, and copy its link.`,
  name: 'Name',
  group: 'Group',
  parameters: 'Parameters',
  hidden: 'not shown',
  actions: 'Actions',
  published: (name: string) => `Published “${name}”.`,
  remove: 'Remove the view',
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeSentence: 'Readers no longer see it. Copies that they have kept in their browsers stay.',
  removed: (name: string) => `Removed “${name}”.`,
}
