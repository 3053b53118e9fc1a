declare module 'virtual:reference-viewer' {
  /** The address of the reference viewer's script. */
  const url: string
  export default url
}
