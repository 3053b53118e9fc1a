/** Saves a file under a name, as a browser saves a download. */
export const saveFile = (blob: Blob, name: string): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // Saving starts at once, but copying a large file takes a while.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
