// Types of layers.mjs, which is plain JavaScript because lint runs it without a build.
export interface Layer {
  readonly path: string
  readonly holds: string
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}
export const LAYERS: readonly Layer[]
export function violations(): string[]
export function table(): string
