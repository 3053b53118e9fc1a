/** The request behind a page. */
export const call = {
  title: 'Call',
  purpose: 'the API request behind this page',
  language: 'Language',
}
