// Buttons, and links that look like them.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Link } from 'wouter'
import type { RouteName } from '../api/client.ts'
import { useRefusal } from '../api/may.ts'
import { Icon, type IconName } from './icon.tsx'
import { SpinnerRing } from './spinner.tsx'

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger'
type Size = 'sm' | 'md'

const VARIANTS: Record<Variant, string> = {
  primary: 'border-transparent bg-accent text-accent-ink hover:bg-accent-hover',
  secondary: 'border-line-strong bg-surface text-ink hover:bg-hover',
  ghost: 'border-transparent text-muted hover:bg-hover hover:text-ink',
  danger: 'border-bad bg-bad-soft text-bad hover:brightness-95',
}
const SIZES: Record<Size, string> = {
  sm: 'min-h-7 gap-1.5 px-2 text-xs',
  md: 'min-h-8 gap-2 px-3 text-sm',
}
const SHAPE =
  'inline-flex items-center justify-center rounded-md border font-medium whitespace-nowrap select-none transition-colors disabled:cursor-default disabled:opacity-55'

interface Look {
  variant?: Variant
  size?: Size
  icon?: IconName
}

/** A mutation that is given nothing. */
export interface Running {
  isPending: boolean
  mutate: () => void
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  /** Something is in progress: a spinner is shown and it cannot be clicked again. */
  busy?: boolean
  /** What it starts; `busy` as long as that goes on. */
  runs?: Running | undefined
  /** What it asks the server for, or opens the way to: a device that may not do it sees it disabled, with the reason. */
  does?: RouteName | undefined
  ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  runs,
  busy = runs?.isPending ?? false,
  does,
  children,
  ...rest
}: ButtonProps) {
  const refusal = useRefusal(does)
  return (
    <button
      type="button"
      {...(runs && { onClick: () => runs.mutate() })}
      {...rest}
      {...(refusal && { title: refusal })}
      data-does={does}
      disabled={busy || rest.disabled || refusal !== null}
      aria-busy={busy || undefined}
      className={`${SHAPE} ${VARIANTS[variant]} ${SIZES[size]} ${rest.className ?? ''}`}
    >
      {busy ? <SpinnerRing className="size-3.5" /> : icon && <Icon name={icon} className="size-3.5" />}
      {children}
    </button>
  )
}

/** Only an icon; `label` is read out and shown on hover. */
export function IconButton({ label, icon, size = 'md', ...rest }: ButtonProps & { label: string; icon: IconName }) {
  const square = size === 'sm' ? 'w-7 px-0' : 'w-8 px-0'
  return (
    <Button
      variant="ghost"
      size={size}
      icon={icon}
      aria-label={label}
      title={label}
      {...rest}
      className={`${square} ${rest.className ?? ''}`}
    />
  )
}

export function LinkButton({
  href,
  children,
  variant = 'secondary',
  size = 'md',
  icon,
}: Look & { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={`${SHAPE} ${VARIANTS[variant]} ${SIZES[size]}`}>
      {icon && <Icon name={icon} className="size-3.5" />}
      {children}
    </Link>
  )
}
