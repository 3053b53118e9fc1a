import { useState } from 'react'

interface CopyProps {
  readonly text: string | (() => string)
  readonly label: string
  readonly className?: string
}

/** Copies, and says so where the label was. */
export const Copy = ({ text, label, className = '' }: CopyProps) => {
  const [said, setSaid] = useState<string | null>(null)
  const copy = async () => {
    setSaid((await copyText(typeof text === 'string' ? text : text())) ? 'Copied' : 'Not copied')
    setTimeout(() => setSaid(null), 1_500)
  }
  return (
    <button type="button" className={`copy ${className}`} onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  )
}

/** Whether it could be copied. Pages without TLS have no clipboard, and copy as in the old days. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

const copySelected = (text: string): boolean => {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}
