import { type ChangeEvent, type KeyboardEvent, useId, useState } from 'react'

interface ComboboxOptions {
  /** The accessible name of the list. */
  readonly label: string
  /** The number of options. */
  readonly count: number
  readonly onText: (text: string) => void
  /** Receives the index of the selected option, or -1 if there is none. */
  readonly onPick: (index: number) => void
  readonly onCancel?: () => void
}

/** A text field with a list of options: arrows select, Enter confirms, Escape cancels. */
export const useCombobox = ({ label, count, onText, onPick, onCancel }: ComboboxOptions) => {
  const [index, setIndex] = useState(0)
  const id = useId()
  const selected = Math.min(index, count - 1)

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setIndex((selected + step + count) % Math.max(1, count))
    else if (event.key === 'Escape' && onCancel) onCancel()
    else if (event.key === 'Enter') onPick(selected)
    else return
    event.preventDefault()
  }

  return {
    field: {
      role: 'combobox',
      'aria-expanded': true,
      'aria-controls': `${id}-list`,
      'aria-activedescendant': selected >= 0 ? `${id}-${selected}` : undefined,
      autoFocus: true,
      onKeyDown,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        onText(event.target.value)
        setIndex(0)
      },
    },
    list: { id: `${id}-list`, role: 'listbox', 'aria-label': label },
    option: (place: number) => ({
      id: `${id}-${place}`,
      role: 'option',
      tabIndex: -1,
      'aria-selected': place === selected,
      onMouseMove: () => setIndex(place),
      onClick: () => onPick(place),
    }),
  } as const
}
