declare module 'virtual:reference-viewer' {
  /** The URL of the reference viewer's script. */
  const url: string
  export default url
}
