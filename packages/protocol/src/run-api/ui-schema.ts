import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';

/** UiSchema 2.0 as the host writes it: nothing else than this is stored or sent. Changes are additive only (RA-7.2). */
export const UI_VERSION = '2.0';

export const UiStatus = z.enum(['info', 'success', 'warning', 'error', 'pending']);
export type UiStatus = z.infer<typeof UiStatus>;
export const UiTheme = z.enum(['default', 'light', 'dark']);
export type UiTheme = z.infer<typeof UiTheme>;

/** A fixed set: a drawing that an agent brings along could carry a script. */
export const UiIconName = z.enum([
  'alert',
  'calendar',
  'chart',
  'check',
  'clock',
  'code',
  'cross',
  'database',
  'download',
  'error',
  'file',
  'folder',
  'globe',
  'heart',
  'help',
  'image',
  'info',
  'key',
  'link',
  'location',
  'lock',
  'mail',
  'message',
  'money',
  'phone',
  'search',
  'settings',
  'star',
  'success',
  'tool',
  'user',
  'users',
  'warning',
]);
export type UiIconName = z.infer<typeof UiIconName>;

const text = z.string().max(limits.ui_text_chars);
const label = z.string().max(limits.ui_label_chars);
const name = z.string().min(1).max(limits.ui_name_chars);

/** A name and a password before the host make an address look like another one. */
const HTTPS = /^https:\/\/(?![^/?#]*@)[^\p{Cc}\p{Cf}\s\\<>"]+$/iu;
const ATTACHMENT = /^attachment:[\w-]{1,128}$/;
const httpsUrl = z.string().max(limits.ui_url_chars).regex(HTTPS, 'must be an https address');
/** `attachment:<artifact id>`: its bytes are read by a url that is signed for whoever asks, when they ask. */
const imageUrl = z
  .string()
  .max(limits.ui_url_chars)
  .refine((url) => HTTPS.test(url) || ATTACHMENT.test(url), 'must be an https address or attachment:<artifact id>');

/** All that a card can do; there is no other action. */
export const UiAction = z.discriminatedUnion('type', [
  z.object({ type: z.literal('send_message'), text: text.min(1) }),
  /** A tool of the frontend, by the name that the frontend gave it. */
  z.object({ type: z.literal('call_tool'), name, args: JsonObject.default({}) }),
  z.object({
    type: z.literal('resume'),
    interruptId: name,
    status: z.enum(['resolved', 'cancelled']),
    payload: Json.optional(),
  }),
  z.object({ type: z.literal('open_url'), url: httpsUrl }),
  z.object({ type: z.literal('submit'), formId: name }),
]);
export type UiAction = z.infer<typeof UiAction>;

/** What a form does with what was typed: the values are the payload, the arguments, or stand below the text. */
const formAction = z.union([UiAction.options[0], UiAction.options[1], UiAction.options[2]]);

const option = z.object({ label, value: z.string().max(limits.ui_label_chars) });
const scalar = z.union([z.string().max(limits.ui_text_chars), z.number(), z.boolean(), z.null()]);
const field = { name, label, required: z.boolean().optional(), disabled: z.boolean().optional() };
const fieldText = z.string().max(limits.interaction_text_chars);

const leaves = [
  z.object({
    type: z.literal('text'),
    content: text,
    role: z.enum(['title', 'subtitle', 'body', 'caption', 'code']).default('body'),
    format: z.enum(['plain', 'markdown']).optional(),
  }),
  z.object({ type: z.literal('badge'), label, status: UiStatus }),
  z.object({
    type: z.literal('kv'),
    items: z.array(z.object({ label, value: text, status: UiStatus.optional() })).max(limits.ui_items),
  }),
  z.object({
    type: z.literal('table'),
    columns: z
      .array(z.object({ key: name, label, align: z.enum(['start', 'center', 'end']).optional() }))
      .min(1)
      .max(limits.ui_columns),
    rows: z.array(z.record(z.string(), scalar)).max(limits.ui_rows),
  }),
  z.object({
    type: z.literal('image'),
    url: imageUrl,
    alt: label.min(1),
    fit: z.enum(['contain', 'cover']).optional(),
  }),
  z.object({ type: z.literal('icon'), name: UiIconName, status: UiStatus.optional() }),
  z.object({ type: z.literal('link'), label, url: httpsUrl }),
  z.object({
    type: z.literal('progress'),
    value: z.number().min(0).max(1).optional(),
    label: label.optional(),
    status: UiStatus.optional(),
  }),
  z.object({ type: z.literal('divider') }),
  z.object({ type: z.literal('code'), content: text, language: z.string().max(limits.ui_name_chars).optional() }),
  z.object({
    type: z.literal('button'),
    label: label.min(1),
    variant: z.enum(['primary', 'secondary', 'danger', 'plain']).optional(),
    action: UiAction,
    disabled: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('input'),
    ...field,
    value: fieldText.optional(),
    placeholder: label.optional(),
    multiline: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('select'),
    ...field,
    options: z.array(option).min(1).max(limits.ui_items),
    value: fieldText.optional(),
  }),
  z.object({ type: z.literal('checkbox'), ...field, value: z.boolean().optional() }),
  z.object({
    type: z.literal('datetime'),
    ...field,
    mode: z.enum(['date', 'time', 'datetime']).optional(),
    value: z.string().max(64).optional(),
  }),
  /** What is shown where a node is not known. */
  z.object({ type: z.literal('fallback'), text }),
] as const;

const stack = z.object({
  type: z.literal('stack'),
  appearance: z.enum(['plain', 'card', 'section', 'inset']).default('plain'),
  direction: z.enum(['vertical', 'horizontal']).optional(),
  gap: z.enum(['none', 'small', 'medium', 'large']).optional(),
  align: z.enum(['start', 'center', 'end', 'stretch']).optional(),
  wrap: z.boolean().optional(),
  status: UiStatus.optional(),
  get children() {
    return z.array(UiNode);
  },
});
const list = z.object({
  type: z.literal('list'),
  ordered: z.boolean().optional(),
  get children() {
    return z.array(UiNode);
  },
});
const collapse = z.object({
  type: z.literal('collapse'),
  title: label,
  open: z.boolean().optional(),
  get children() {
    return z.array(UiNode);
  },
});
const form = z.object({
  type: z.literal('form'),
  id: name,
  submitLabel: label.optional(),
  action: formAction,
  disabled: z.boolean().optional(),
  get children() {
    return z.array(UiNode);
  },
});

export const UiNode = z.discriminatedUnion('type', [...leaves, stack, list, collapse, form]);
export type UiNode = z.infer<typeof UiNode>;
export type UiNodeType = UiNode['type'];

/** Nodes that ask for a value: they stand in a form and nowhere else. */
export const uiFields: ReadonlySet<string> = new Set<UiNodeType>(['input', 'select', 'checkbox', 'datetime']);
/** All types of nodes, as a reader knows them. */
export const uiNodeTypes: ReadonlySet<string> = new Set<UiNodeType>(
  UiNode.options.map(({ shape }) => shape.type.value),
);

export const UiSchemaRenderer = z.object({
  version: z.literal(UI_VERSION),
  locale: z.string().min(1).max(limits.locale_chars),
  status: UiStatus,
  theme: UiTheme,
  meta: z
    .object({
      requestId: z.string().optional(),
      toolId: z.string().optional(),
      traceId: z.string().optional(),
      userId: z.string().optional(),
    })
    .optional(),
  root: UiNode,
});
export type UiSchemaRenderer = z.infer<typeof UiSchemaRenderer>;
