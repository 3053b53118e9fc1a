{{- define "selvedge.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 54 | trimSuffix "-" }}
{{- else if contains "selvedge" .Release.Name }}{{ .Release.Name | trunc 54 | trimSuffix "-" }}
{{- else }}{{ printf "%s-selvedge" .Release.Name | trunc 54 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "selvedge.selector" -}}
app.kubernetes.io/name: selvedge
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "selvedge.labels" -}}
{{ include "selvedge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "selvedge.serviceAccount" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create }}{{ include "selvedge.fullname" . }}
{{- else }}default
{{- end }}
{{- end }}

{{- define "selvedge.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "selvedge.secretName" -}}
{{- if .Values.secret.existing }}{{ .Values.secret.existing }}
{{- else }}{{ include "selvedge.fullname" . }}
{{- end }}
{{- end }}

{{- /* The secret settings that are set, or nothing. */ -}}
{{- define "selvedge.secretData" -}}
{{- range $name, $value := .Values.secret.values }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /*
The text of a setting. Numbers are printed by toJson, as a large one would otherwise be printed with an
exponent.
*/ -}}
{{- define "selvedge.text" -}}
{{- if kindIs "bool" . }}{{ if . }}on{{ else }}off{{ end }}
{{- else if kindIs "slice" . }}{{ join "," . }}
{{- else if kindIs "string" . }}{{ . }}
{{- else }}{{ toJson . }}
{{- end }}
{{- end }}

{{- define "selvedge.scheme" -}}
{{- if .Values.ingress.tlsSecretName }}https{{ else }}http{{ end }}
{{- end }}

{{- /* "true" if files are stored in /data, otherwise nothing. */ -}}
{{- define "selvedge.storesFiles" -}}
{{- if or (eq .Values.database "sqlite") (hasPrefix "file:" .Values.settings.IMAGES_URL) }}true{{ end }}
{{- end }}

{{- /* Values that are valid one by one and do not work together. */ -}}
{{- define "selvedge.check" -}}
{{- if eq .Values.database "sqlite" }}
{{- if gt (int .Values.replicas) 1 }}
{{- fail "Several replicas cannot share a SQLite database. Set replicas to 1, or database to postgres." }}
{{- end }}
{{- if .Values.secret.values.DATABASE_URL }}
{{- fail "secret.values.DATABASE_URL is not used with SQLite. Remove it, or set database to postgres." }}
{{- end }}
{{- else }}
{{- if not (or .Values.secret.existing .Values.secret.values.DATABASE_URL) }}
{{- fail "PostgreSQL needs its URL. Set secret.existing to the name of a Secret with DATABASE_URL, or set secret.values.DATABASE_URL." }}
{{- end }}
{{- if and (gt (int .Values.replicas) 1) (hasPrefix "file:" .Values.settings.IMAGES_URL) (ne .Values.persistence.accessMode "ReadWriteMany") }}
{{- fail "Several replicas need the same images. Set settings.IMAGES_URL to a bucket (s3://…), or persistence.accessMode to ReadWriteMany." }}
{{- end }}
{{- if and (gt (int .Values.replicas) 1) (hasPrefix "file:" .Values.settings.IMAGES_URL) (not .Values.persistence.enabled) }}
{{- fail "Several replicas need the same images. Set settings.IMAGES_URL to a bucket (s3://…), or persistence.enabled to true." }}
{{- end }}
{{- end }}
{{- if and .Values.secret.existing (include "selvedge.secretData" .) }}
{{- fail "secret.values are not used with secret.existing. Put them into that Secret, or remove secret.existing." }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "The ingress needs a host name. Set ingress.hosts." }}
{{- end }}
{{- if and .Values.ingress.ingest (not .Values.settings.INGEST_PORT) }}
{{- fail "ingress.ingest needs a port on which records are received. Set settings.INGEST_PORT." }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.settings.METRICS_PORT) }}
{{- fail "metrics.serviceMonitor needs a port for metrics. Set settings.METRICS_PORT." }}
{{- end }}
{{- end }}
