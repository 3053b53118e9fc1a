/**
 * Icons of 16 by 16 in the text colour. They are decorative: the words beside them carry the
 * meaning.
 */
const Icon = ({ path }: { path: string }) => (
  <svg className="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
  </svg>
)

export const SearchIcon = () => <Icon path="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14" />

export const LinesIcon = () => <Icon path="M2 4h12M2 8h12M2 12h12" />

export const DotsIcon = () => (
  <svg className="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path
      d="M3 8h.01M8 8h.01M13 8h.01"
      stroke="currentColor"
      strokeWidth="3"
      strokeLinecap="round"
    />
  </svg>
)
